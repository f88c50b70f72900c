import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { DomainError } from '../errors.ts';
import { problemAnswer } from './problem-answer.ts';

const ok = (description: string) => Type.String({ description, examples: ['ok'] });

const retryAfterSeconds = 5;

/**
 * `/livez`: whether this process answers at all. `/readyz`: whether a scan would be accepted and run;
 * the problems are sentences, or null.
 */
export function health({
  assertOpen,
  browserProblem,
  databaseProblem,
}: {
  /** Throws what a new scan would be refused with. */
  assertOpen: () => void;
  browserProblem: () => string | null;
  databaseProblem: () => string | null;
}) {
  return new Elysia({ name: 'health', tags: ['Operation'] })
    .get('/livez', () => 'ok', {
      response: { 200: ok('It answers, so it is.') },
      detail: {
        operationId: 'isAlive',
        summary: 'Is the process alive?',
        description: 'For health checks. Says nothing of the browser or the queue.',
      },
    })
    .get(
      '/readyz',
      () => {
        const problem = browserProblem() ?? databaseProblem();
        if (problem !== null) {
          throw new DomainError('not-ready', problem, { data: { retryAfterSeconds } });
        }
        assertOpen();
        return 'ok';
      },
      {
        response: {
          200: ok('A scan would be accepted, and could be run.'),
          503: problemAnswer(503, ['not-ready', 'queue-full', 'shutting-down']),
        },
        detail: {
          operationId: 'isReady',
          summary: 'Can it scan?',
          description:
            'For load balancers: whether the browser starts, the database can be written, the queue has room and the service is not stopping. It never waits.',
        },
      },
    );
}
