/** How much a violation hinders people, in axe's words, worst first. */
export const impacts = ['critical', 'serious', 'moderate', 'minor'] as const;
export type Impact = (typeof impacts)[number];

/** How many rules of each impact a page violates. */
export type Summary = Readonly<Record<Impact | 'total', number>>;

/** One violated rule. */
export interface Violation {
  readonly id: string;
  readonly impact: Impact;
  readonly description: string;
  readonly help: string;
  readonly helpUrl: string;
  /** Affected elements. */
  readonly count: number;
  readonly tags: readonly string[];
}

/** What a scan found, without the elements: see `Findings`. */
export interface Report {
  readonly url: string;
  readonly finalUrl: string;
  /** 0 to 100. */
  readonly score: number;
  readonly label: 'WCAG AA Verified' | null;
  readonly summary: Summary;
  /** All of them, worst first. */
  readonly violations: readonly Violation[];
  /** Rules that axe leaves to a person to decide; they never count against the score. */
  readonly needsReviewCount: number;
  /** Rules that took too long on this page, and count for nothing. */
  readonly rulesNotCompleted: readonly string[];
  /** In what the scan differs from a visit to the page. */
  readonly warnings: readonly string[];
  /** When the scan completed, ISO 8601 UTC. */
  readonly scannedAt: string;
  readonly durationMs: number;
  readonly engine: { readonly name: 'axe-core'; readonly version: string };
}

/** An element that a rule speaks of, as axe gives it. */
export interface FindingNode {
  readonly html: string;
  /** A selector for each frame on the way to the element; a list of selectors crosses shadow roots. */
  readonly target: readonly (string | readonly string[])[];
  readonly impact: Impact | null;
  readonly failureSummary: string | undefined;
  readonly any: readonly unknown[];
  readonly all: readonly unknown[];
  readonly none: readonly unknown[];
}

/** A rule with the elements it speaks of: `count` of them, unless there were too many to keep. */
export interface Finding extends Violation {
  readonly nodes: readonly FindingNode[];
}

/** Everything axe said of a page that calls for somebody's attention. */
export interface Findings {
  readonly violations: readonly Finding[];
  readonly incomplete: readonly Finding[];
}
