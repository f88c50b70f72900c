import { openapi } from '@elysiajs/openapi';
import { Elysia } from 'elysia';

/** `/openapi.json`, generated from the routes, and the pages made from it. */
export function docs({ version, publicUrl }: { version: string; publicUrl: string }) {
  return new Elysia({ name: 'docs' }).use(
    openapi({
      provider: null,
      specPath: '/openapi.json',
      documentation: {
        info: { title: 'Curbcut', version },
        servers: [{ url: publicUrl }],
      },
    }),
  );
}
