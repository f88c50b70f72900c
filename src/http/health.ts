import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';

/** `/livez`: whether this process answers at all; says nothing of the browser or the queue. */
export function health() {
  return new Elysia({ name: 'health' }).get('/livez', () => 'ok', {
    response: {
      200: Type.String({ description: 'It answers, so it is.', examples: ['ok'] }),
    },
    detail: {
      tags: ['Operation'],
      operationId: 'isAlive',
      summary: 'Is the process alive?',
      description: 'For health checks. Says nothing of the browser or the queue.',
    },
  });
}
