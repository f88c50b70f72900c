import { describe, expect, test } from 'bun:test';
import { createLog, type LogLevel, logLevels } from '../src/log.ts';

function linesOf(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog(level, (line) => lines.push(line)));
  return lines;
}

function fieldsOf(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? '') as Record<string, unknown>;
}

describe('a log writes its level and those above', () => {
  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('%s', (level, written) => {
    const lines = linesOf(level, (log) => {
      for (const own of ['debug', 'info', 'warn', 'error'] as const) log[own]('hello');
    });
    expect(lines.map((line) => fieldsOf(line)['level'])).toEqual([...written]);
  });

  test('and these are all the levels', () => {
    expect(logLevels).toEqual(['debug', 'info', 'warn', 'error', 'silent']);
  });
});

test('a line is one JSON object with time, level, message and fields', () => {
  const before = Date.now();
  const [line = '', ...others] = linesOf('info', (log) =>
    log.warn('two\nlines', { scanId: 'a\u2028b', score: 93, tags: ['x'], nothing: null }),
  );
  expect(others).toEqual([]);
  expect(line).not.toContain('\n');
  const { time, ...fields } = fieldsOf(line);
  expect(fields).toEqual({
    level: 'warn',
    message: 'two\nlines',
    scanId: 'a\u2028b',
    score: 93,
    tags: ['x'],
    nothing: null,
  });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(String(time))).toBeGreaterThanOrEqual(before);
  expect(Date.parse(String(time))).toBeLessThanOrEqual(Date.now());
});

test('fields that are not set leave no trace', () => {
  const [line] = linesOf('info', (log) => log.info('hello', { scanId: undefined }));
  expect(Object.keys(fieldsOf(line))).toEqual(['time', 'level', 'message']);
});

describe('an error among the fields', () => {
  const root = new Error('disk full');
  const cause = new TypeError('write failed', { cause: root });
  const error = new Error('not stored', { cause });

  test.each([
    [new Error('not stored'), 'not stored'],
    [cause, 'write failed (disk full)'],
    [error, 'not stored (write failed (disk full))'],
    [new Error('not stored', { cause: 'a text' }), 'not stored'],
  ])('is printed as its message and those of its causes', (given, printed) => {
    const [line] = linesOf('info', (log) => log.error('hello', { error: given }));
    expect(fieldsOf(line)['error']).toBe(printed);
  });

  test('is printed with its stack, and those of its causes, at debug', () => {
    const [line] = linesOf('debug', (log) => log.error('hello', { error }));
    const printed = String(fieldsOf(line)['error']);
    for (const message of ['not stored', 'write failed', 'disk full']) {
      expect(printed).toContain(message);
    }
    expect(printed.match(/log\.test\.ts/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test('is never printed with its stack at other levels', () => {
    const [line] = linesOf('info', (log) => log.error('hello', { error }));
    expect(line).not.toContain('log.test.ts');
  });

  test('without a stack is printed by its message at debug', () => {
    const bare = new Error('bare');
    delete bare.stack;
    const [line] = linesOf('debug', (log) => log.error('hello', { error: bare }));
    expect(fieldsOf(line)['error']).toBe('bare');
  });
});

test('without a writer the lines go to standard error', async () => {
  const module = JSON.stringify(import.meta.resolve('../src/log.ts'));
  const script = `const { createLog } = await import(${module}); createLog('info').info('hello');`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(output).toBe('');
  expect(errors).toEndWith('\n');
  expect(fieldsOf(errors)).toMatchObject({ level: 'info', message: 'hello' });
});
