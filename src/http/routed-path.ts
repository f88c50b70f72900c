/**
 * The path that the router goes by, in `onRequest`: Elysia gives it there, but its type leaves it
 * out. Read from the URL instead, a forged Host could make it another one.
 */
export function routedPath(context: object): string {
  return (context as { path: string }).path;
}
