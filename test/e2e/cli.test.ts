import { afterAll, beforeAll, expect, test } from 'bun:test';

const projectRoot = new URL('../..', import.meta.url).pathname;
let pages: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  const html = (body: string) =>
    new Response(`<!doctype html><html lang="en"><title>Page</title><h1>Page</h1>${body}`, {
      headers: { 'content-type': 'text/html' },
    });
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/clean': () => html(''),
      '/violations': () => html('<img src="/a.png"><img src="/b.png">'),
      '/missing': () => new Response('', { status: 404 }),
    },
  });
});
afterAll(() => pages.stop(true));

async function scan(...args: string[]) {
  const child = Bun.spawn([process.execPath, 'src/cli.ts', 'scan', ...args], {
    cwd: projectRoot,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  return {
    stdout: await new Response(child.stdout).text(),
    stderr: await new Response(child.stderr).text(),
    exitCode: await child.exited,
  };
}

const pageUrl = (path: string) => `http://127.0.0.1:${pages.port}${path}`;

test('a clean page on this machine is reported with exit code 0', async () => {
  const { stdout, stderr, exitCode } = await scan(pageUrl('/clean'));
  expect(stdout).toContain('Score 100 of 100, WCAG AA Verified');
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
}, 30_000);

test('a page with violations is reported with its elements and exit code 1', async () => {
  const { stdout, exitCode } = await scan(pageUrl('/violations'));
  expect(stdout).toContain('Score 75 of 100\n1 violation: 1 critical');
  expect(stdout).toContain('critical  image-alt: Images must have alternative text (2 elements)');
  expect(stdout).toContain('  - img[src="/b.png"]');
  expect(exitCode).toBe(1);
}, 30_000);

test('--json prints the whole report, elements included', async () => {
  const { stdout, exitCode } = await scan('--json', pageUrl('/violations'));
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ url: pageUrl('/violations'), score: 75, summary: { total: 1 } });
  expect(report.violations[0].nodes.map(({ html }: { html: string }) => html)).toEqual([
    '<img src="/a.png">',
    '<img src="/b.png">',
  ]);
  expect(exitCode).toBe(1);
}, 30_000);

test.each([
  ['a page that is missing', () => [pageUrl('/missing')], '404'],
  ['no URL', () => [], 'Usage'],
  ['two URLs', () => [pageUrl('/clean'), pageUrl('/clean')], 'Usage'],
  ['an unknown option', () => ['--yaml', pageUrl('/clean')], '--yaml'],
  ['no web address', () => ['ftp://example.com'], 'http or https'],
])(
  '%s gives exit code 2 and a reason',
  async (_, args, reason) => {
    const { stdout, stderr, exitCode } = await scan(...args());
    expect(exitCode).toBe(2);
    expect(stderr).toContain(reason);
    expect(stdout).toBe('');
  },
  30_000,
);

async function exitCodeWithOutputTo(command: string): Promise<number> {
  const scanning = `"${process.execPath}" src/cli.ts scan "${pageUrl('/clean')}"`;
  const child = Bun.spawn(['bash', '-c', `${scanning} ${command}`], {
    cwd: projectRoot,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  return child.exited;
}

test('a reader that has seen enough does not change the exit code', async () => {
  expect(await exitCodeWithOutputTo('| true; exit ${PIPESTATUS[0]}')).toBe(0);
}, 30_000);

test('a report that cannot be written gives exit code 2', async () => {
  expect(await exitCodeWithOutputTo('> /dev/full')).toBe(2);
}, 30_000);
