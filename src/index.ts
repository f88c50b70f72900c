import { createApp } from './app.ts';
import { ConfigError, parseConfig } from './config.ts';
import { createLog, printError } from './log.ts';

try {
  const config = parseConfig(process.env);
  const log = createLog(config.log.level);
  const app = await createApp(config, process.env, { log });
  const port = app.listen();
  log.info('listening', { host: config.server.hostname, port, docs: config.http.docsUrl });

  // A page that ends under puppeteer's hands must not take the service with it.
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    // Whoever asks twice does not want to wait; Chromium ends with the pipe that it hangs on.
    if (stopping) process.exit(1);
    stopping = true;
    log.info('stopping', { signal });
    try {
      await app.close();
    } catch (error) {
      log.error('stopped badly', { error });
      process.exit(1);
    }
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
} catch (error) {
  const message = error instanceof Error ? printError(error) : String(error);
  process.stderr.write(`curbcut: ${message}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
