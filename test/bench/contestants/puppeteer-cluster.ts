import puppeteer, { type LaunchOptions, type Page } from 'puppeteer';
import { scanWithAxe } from './axe-in-page.ts';
import { importPeer } from './peers.ts';
import { type Ask, launchOptions, type Scanner, serveScans } from './worker.ts';

type ScanResult = Awaited<ReturnType<Scanner['scan']>>;

interface ClusterModule {
  readonly Cluster: {
    readonly CONCURRENCY_CONTEXT: number;
    launch(options: {
      concurrency: number;
      maxConcurrency: number;
      timeout: number;
      puppeteer: typeof puppeteer;
      puppeteerOptions: LaunchOptions;
    }): Promise<{
      execute(
        ask: Ask,
        task: (job: { page: Page; data: Ask }) => Promise<ScanResult>,
      ): Promise<ScanResult>;
      close(): Promise<void>;
    }>;
  };
}

/** As many scans as the benchmark has under way at most. */
const maxConcurrency = 8;
const timeoutMs = 900_000;

await serveScans(async (binary) => {
  const { Cluster } = await importPeer<ClusterModule>('puppeteer-cluster');
  const cluster = await Cluster.launch({
    concurrency: Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency,
    timeout: timeoutMs,
    puppeteer,
    puppeteerOptions: launchOptions(binary),
  });
  return {
    scan: (ask) => cluster.execute(ask, ({ page, data }) => scanWithAxe(page, data)),
    close: () => cluster.close(),
  };
});
