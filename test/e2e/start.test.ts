import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { startServer, temporaryFolder } from '../support/server-process.ts';

const projectRoot = new URL('../..', import.meta.url).pathname;

async function run(environment: Record<string, string>) {
  const child = Bun.spawn([process.execPath, 'src/index.ts'], {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  return { stderr: await new Response(child.stderr).text(), exitCode: await child.exited };
}

test('a wrong configuration stops the start with every fault named', async () => {
  const { stderr, exitCode } = await run({
    PORT: '70000',
    RATE_LIMIT_GET: 'ten',
    ALLOW_NETWORKS: '10.0.0.0',
  });
  expect(exitCode).toBe(2);
  for (const name of ['PORT', 'RATE_LIMIT_GET', 'ALLOW_NETWORKS']) expect(stderr).toContain(name);
  expect(stderr).not.toContain(' at ');
});

test('a browser that does not work stops the start with a sentence', async () => {
  await using folder = await temporaryFolder();
  const { stderr, exitCode } = await run({
    PORT: '0',
    DATABASE_PATH: join(folder.path, 'scans.sqlite'),
    PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chrome',
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('PUPPETEER_EXECUTABLE_PATH');
  expect(stderr).not.toContain(' at ');
});

test('the port of another service stops the start with a sentence', async () => {
  await using folder = await temporaryFolder();
  await using other = await startServer({ DATABASE_PATH: ':memory:' });
  const { port } = new URL(other.url);
  const { stderr, exitCode } = await run({
    PORT: port,
    HOST: '127.0.0.1',
    DATABASE_PATH: join(folder.path, 'scans.sqlite'),
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(port);
}, 30_000);

test('the database of another service stops the start with a sentence', async () => {
  await using folder = await temporaryFolder();
  const environment = { PORT: '0', DATABASE_PATH: join(folder.path, 'scans.sqlite') };
  await using other = await startServer(environment);
  const { stderr, exitCode } = await run(environment);
  expect(exitCode).toBe(1);
  expect((await fetch(`${other.url}/livez`)).status).toBe(200);
  expect(stderr).toContain('in use by another');
  expect(stderr).not.toContain(' at ');
}, 30_000);
