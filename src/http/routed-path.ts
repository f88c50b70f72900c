/**
 * What `onRequest` is given, with the path that the router goes by: Elysia gives it there, but its
 * type leaves it out. Read from the URL instead, a forged Host could make it another one.
 *
 * Take it from the context by name: of a context that is passed on to a function, Elysia takes
 * everything to be needed, and reads cookies, fields and query of every request.
 */
export type Routed<Context> = Context & { readonly path: string };
