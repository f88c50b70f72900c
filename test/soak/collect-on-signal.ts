/* Loaded into the service before its own code: what waits for a collection is no leak. */
process.on('SIGUSR2', () => Bun.gc(true));
