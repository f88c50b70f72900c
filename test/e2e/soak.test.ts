import { expect, test } from 'bun:test';
import { runSoak } from '../soak/soak.ts';

test('mixed pages end as they should while the browser is killed again and again, and leave nothing behind', async () => {
  const { faults, kills } = await runSoak({ measureAfter: [10, 40], quietMs: 500 });
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(2);
}, 120_000);
