export const exampleScanId = '019ab8f4-5b3c-7c5b-9d0d-2c1c2a1b7f52';

const exampleViolation = {
  id: 'color-contrast',
  impact: 'serious',
  description:
    'Ensure the contrast between foreground and background colors meets WCAG 2 AA minimum contrast ratio thresholds',
  help: 'Elements must meet minimum color contrast ratio thresholds',
  helpUrl: 'https://dequeuniversity.com/rules/axe/4.14/color-contrast?application=axeAPI',
  count: 3,
};

/** As the versioned API gives it. */
export const exampleReport = {
  scanId: exampleScanId,
  status: 'done',
  url: 'https://example.com/',
  finalUrl: 'https://example.com/en/',
  score: 90,
  label: null,
  violationCount: 1,
  summary: { critical: 0, serious: 1, moderate: 0, minor: 0, total: 1 },
  violations: [exampleViolation],
  needsReviewCount: 2,
  rulesNotCompleted: [],
  warnings: [],
  scannedAt: '2026-11-21T07:04:15.392Z',
  durationMs: 552,
  engine: { name: 'axe-core', version: '4.14.1' },
};

/** As the legacy endpoint gives it. */
export const exampleLegacyReport = {
  ...exampleReport,
  violations: [{ ...exampleViolation, wcagTags: ['wcag2aa', 'wcag143'] }],
  wcagLevel: 'WCAG 2.1 AA',
  poweredBy: 'Curbcut',
  docsUrl: 'https://curbcut.example/docs',
};
