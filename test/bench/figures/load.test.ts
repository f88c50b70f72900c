import { expect, test } from 'bun:test';
import { type Load, meanLoad } from './load.ts';

const load: Load = {
  contestant: 'curbcut',
  clients: 4,
  scans: 10,
  failures: 0,
  scansPerMinute: 200,
  cpuMsPerScan: 400,
  peakPss: 500,
};

test('the mean of a load that was repeated counts each scan alike, and the most memory', () => {
  const other = {
    ...load,
    scans: 30,
    failures: 1,
    scansPerMinute: 300,
    cpuMsPerScan: 200,
    peakPss: 600,
  };
  expect(meanLoad([load, other])).toEqual({
    contestant: 'curbcut',
    clients: 4,
    scans: 40,
    failures: 1,
    scansPerMinute: 250,
    cpuMsPerScan: 250,
    peakPss: 600,
  });
});

test('a turn in which every scan failed lowers the throughput, but not what a scan costs', () => {
  const failed = { ...load, scans: 0, failures: 3, scansPerMinute: 0, cpuMsPerScan: Infinity };
  const { scansPerMinute, cpuMsPerScan, failures } = meanLoad([load, failed]);
  expect({ scansPerMinute, cpuMsPerScan, failures }).toEqual({
    scansPerMinute: 100,
    cpuMsPerScan: 400,
    failures: 3,
  });
});
