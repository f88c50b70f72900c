import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/server-process.ts';

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

test('a port in use stops the start with a sentence', async () => {
  await using folder = await temporaryFolder();
  using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { stderr, exitCode } = await run({
    PORT: String(other.port),
    HOST: '127.0.0.1',
    DATABASE_PATH: join(folder.path, 'scans.sqlite'),
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(String(other.port));
}, 30_000);
