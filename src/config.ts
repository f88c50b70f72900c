import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  readHost,
  readHosts,
  readLogLevel,
  readNetworks,
  readPorts,
  readPublicUrl,
} from './config-values.ts';
import { parsePolicy } from './rate-limit/policy.ts';

const policy = (description: string, preset: string) =>
  Type.String({ description, default: preset });
const networks = (description: string) => Type.String({ description, default: '' });
const whole = (description: string, preset: number, minimum: number, maximum: number) =>
  Type.Integer({ description, default: preset, minimum, maximum });

/** Every variable of the environment that the service has; none needs to be set. */
export const environmentSchema = Type.Object({
  PORT: whole(
    'Port to listen on; 0 takes a free one, which links do not know without `PUBLIC_URL`.',
    3000,
    0,
    65_535,
  ),
  HOST: Type.String({
    description: 'Address to listen on; `::` takes IPv6 and IPv4.',
    default: '0.0.0.0',
  }),
  DATABASE_PATH: Type.String({
    description: 'The SQLite file; `:memory:` keeps nothing.',
    default: './data/curbcut.sqlite',
  }),
  RATE_LIMIT_GET: policy(
    'What one client may ask of `GET /api/v1/scan`: requests/window with the units `s`, `m`, `h`, `d`, or `off`.',
    '10/1h',
  ),
  RATE_LIMIT_POST: policy('The same for `POST /api/v1/scan`.', '100/1d'),
  RATE_LIMIT_TOTAL: policy('The same for all requests that start a scan, together.', '100/1d'),
  TRUSTED_PROXIES: networks(
    'CIDRs, separated by commas, of proxies whose `X-Forwarded-For` or `Forwarded` is believed.',
  ),
  ALLOW_NETWORKS: networks(
    'CIDRs, separated by commas, that may be scanned although they are not public, on every port.',
  ),
  ALLOW_HOSTS: Type.String({
    description:
      'Single `host:port` pairs, separated by commas, that may be scanned whatever they resolve to.',
    default: '',
  }),
  ALLOW_PORTS: Type.String({
    description: 'Ports, separated by commas, on which public addresses may be scanned.',
    default: '80,443,8080,8443',
  }),
  SCAN_CONCURRENCY: whole(
    'Scans that run at once; 0 stands for eight for each processor, two for each gigabyte of memory at most.',
    0,
    0,
    64,
  ),
  SCAN_TIMEOUT_SECONDS: whole(
    'After this time a scan is stopped; waiting in the queue does not count.',
    60,
    5,
    600,
  ),
  MAX_WAITING: whole(
    'Scans that may wait, those of one client half of them at most; more are refused with 503.',
    100,
    0,
    100_000,
  ),
  POST_WAIT_SECONDS: whole(
    'How long `POST` waits for the report before it answers 202.',
    25,
    0,
    600,
  ),
  RETENTION_DAYS: whole('Scans are deleted so many days after their end.', 30, 1, 3_650),
  OPERATOR_NAME: Type.String({
    description: 'Who runs this service: `poweredBy` in the legacy report.',
    default: 'Curbcut',
  }),
  PUBLIC_URL: Type.String({
    description:
      'Where clients reach this service, for links and `docsUrl`; unset, `http://localhost:PORT`.',
    default: '',
  }),
  LOG_LEVEL: Type.String({
    description: 'The least level logged: `debug`, `info`, `warn`, `error` or `silent`.',
    default: 'info',
  }),
  PUPPETEER_EXECUTABLE_PATH: Type.String({
    description: 'The browser to use; unset, the best one found.',
    default: '',
  }),
});

type Variables = Static<typeof environmentSchema>;

/** What the texts mean. Each throws an error whose message says what to write instead. */
const readers = {
  HOST: readHost,
  RATE_LIMIT_GET: (text: string) => parsePolicy('scan-get', text),
  RATE_LIMIT_POST: (text: string) => parsePolicy('scan-post', text),
  RATE_LIMIT_TOTAL: (text: string) => parsePolicy('scan-total', text),
  TRUSTED_PROXIES: readNetworks,
  ALLOW_NETWORKS: readNetworks,
  ALLOW_HOSTS: readHosts,
  ALLOW_PORTS: readPorts,
  PUBLIC_URL: readPublicUrl,
  LOG_LEVEL: readLogLevel,
};

/** The configuration, one part for each stage that takes it. */
export type Config = Readonly<ReturnType<typeof arrange>>;

/** The message names every fault, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the environment; an empty variable counts as unset. Throws `ConfigError`. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const variables: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(environmentSchema.properties)) {
    const text = environment[name] || String(schema.default);
    variables[name] = Value.Convert(schema, text);
    // Conversion is lax: it reads 1e3 as 1.
    const fault =
      String(variables[name]) === text
        ? Value.Errors(schema, variables[name]).First()?.message
        : notWhole;
    if (fault !== undefined) faults.push(`${name} is “${text}”. ${fault}.`);
  }
  for (const [name, read] of Object.entries(readers)) {
    try {
      read(String(variables[name]));
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) {
    throw new ConfigError(['The configuration has faults:', ...faults].join('\n  '));
  }
  return freeze(arrange(Value.Decode(environmentSchema, variables)));
}

const notWhole = 'Expected a whole number';

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) freeze(part);
  }
  return Object.freeze(value);
}

function arrange(variables: Variables) {
  const publicUrl =
    readers.PUBLIC_URL(variables.PUBLIC_URL) ?? `http://localhost:${variables.PORT}`;
  return {
    server: { port: variables.PORT, hostname: readers.HOST(variables.HOST) },
    http: {
      publicUrl,
      docsUrl: `${publicUrl}/docs`,
      operatorName: variables.OPERATOR_NAME,
      postWaitMs: variables.POST_WAIT_SECONDS * 1_000,
      trustedProxies: readers.TRUSTED_PROXIES(variables.TRUSTED_PROXIES),
      policies: {
        get: readers.RATE_LIMIT_GET(variables.RATE_LIMIT_GET),
        post: readers.RATE_LIMIT_POST(variables.RATE_LIMIT_POST),
        total: readers.RATE_LIMIT_TOTAL(variables.RATE_LIMIT_TOTAL),
      },
    },
    scan: {
      concurrency: variables.SCAN_CONCURRENCY,
      maxWaiting: variables.MAX_WAITING,
      deadlineMs: variables.SCAN_TIMEOUT_SECONDS * 1_000,
    },
    browser: {
      executablePath: variables.PUPPETEER_EXECUTABLE_PATH || undefined,
      egress: {
        allowNetworks: readers.ALLOW_NETWORKS(variables.ALLOW_NETWORKS),
        allowHosts: readers.ALLOW_HOSTS(variables.ALLOW_HOSTS),
        allowPorts: readers.ALLOW_PORTS(variables.ALLOW_PORTS),
      },
      // Half the time for loading leaves the other half for axe.
      navigationTimeoutMs: variables.SCAN_TIMEOUT_SECONDS * 500,
      // Leaves time to run again without a rule that takes longer.
      axeTimeoutMs: variables.SCAN_TIMEOUT_SECONDS * 300,
    },
    store: {
      databasePath: variables.DATABASE_PATH,
      retentionMs: variables.RETENTION_DAYS * 86_400_000,
    },
    log: { level: readers.LOG_LEVEL(variables.LOG_LEVEL) },
  };
}
