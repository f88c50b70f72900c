import { Elysia } from 'elysia';

/** `/livez`: whether this process answers at all; says nothing of the browser or the queue. */
export function health() {
  return new Elysia({ name: 'health' }).get('/livez', () => 'ok', {
    detail: { tags: ['Operation'], summary: 'Is the process alive?' },
  });
}
