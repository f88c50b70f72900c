import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { Turns } from '../../src/scan/turns.ts';

const steps = fc.array(
  fc.record({
    action: fc.constantFrom('add', 'add', 'start', 'leave'),
    client: fc.constantFrom('a', 'b', 'c', '', '__proto__'),
    which: fc.nat({ max: 30 }),
  }),
  { maxLength: 80, size: 'max' },
);

test('whatever happens, a client starts in its own order, and never twice while another waits', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const turns = new Turns();
      const named = new Map<() => Promise<unknown>, { id: string; client: string }>();
      let waiting: { id: string; client: string }[] = [];
      /** Of each client that waits, who has started since it began to wait or last started. */
      const passedBy = new Map<string, string[]>();

      for (const [number, { action, client, which }] of all.entries()) {
        const id = `task ${number}`;
        if (action === 'add') {
          const run = async (): Promise<void> => {};
          named.set(run, { id, client });
          if (!waiting.some((task) => task.client === client)) passedBy.set(client, []);
          waiting.push({ id, client });
          turns.enqueue(run, { id, client });
        } else if (action === 'leave') {
          const task = waiting[which % (waiting.length || 1)];
          turns.remove(task?.id ?? 'no such task');
          waiting = waiting.filter((it) => it !== task);
        } else {
          const run = turns.dequeue();
          const task = run && named.get(run);
          expect(task === undefined).toBe(waiting.length === 0);
          if (task === undefined) continue;
          expect(task.id).toBe(waiting.find((it) => it.client === task.client)?.id ?? '');
          waiting = waiting.filter(({ id: other }) => other !== task.id);
          passedBy.set(task.client, []);
          for (const other of new Set(waiting.map((it) => it.client))) {
            if (other === task.client) continue;
            expect(passedBy.get(other)).not.toContain(task.client);
            passedBy.get(other)?.push(task.client);
          }
        }
        expect(turns.size).toBe(waiting.length);
        expect(turns.filter({ client })).toHaveLength(
          waiting.filter((it) => it.client === client).length,
        );
      }
    }),
    { numRuns: 500 },
  );
});
