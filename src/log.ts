export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogFields = Record<string, unknown>;
type LogLine = (message: string, fields?: LogFields) => void;

/** One method a level; each writes one JSON line. */
export type Log = Record<Exclude<LogLevel, 'silent'>, LogLine>;

/**
 * Writes `{"time", "level", "message", …fields}` lines, those below `level` left out.
 * Errors among the fields become their message or, at `debug`, their stack, and those of their
 * causes; client addresses and secrets are the caller's to keep out.
 */
export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Log {
  const lineAt = (own: Exclude<LogLevel, 'silent'>): LogLine =>
    logLevels.indexOf(own) < logLevels.indexOf(level)
      ? () => {}
      : (message, fields = {}) => {
          const printable = Object.fromEntries(
            Object.entries(fields).map(([key, value]) => [
              key,
              value instanceof Error ? printError(value, level === 'debug') : value,
            ]),
          );
          write(
            JSON.stringify({ time: new Date().toISOString(), level: own, message, ...printable }),
          );
        };
  return {
    debug: lineAt('debug'),
    info: lineAt('info'),
    warn: lineAt('warn'),
    error: lineAt('error'),
  };
}

/** The message of an error and of all that caused it, with their stacks if wanted. */
export function printError(error: Error, withStack = false): string {
  const text = (withStack ? error.stack : undefined) ?? error.message;
  return error.cause instanceof Error ? `${text} (${printError(error.cause, withStack)})` : text;
}
