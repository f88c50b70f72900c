import type { Finding, FindingNode, Findings, Report } from '../report.ts';
import { impacts } from '../report.ts';

const shownNodes = 5;

/** A report to read in a terminal, without colours; ends with a newline. */
export function formatText(report: Report, findings: Findings): string {
  const blocks = [
    printHead(report),
    ...findings.violations.map(printFinding),
    ...report.warnings.map((warning) => [`Note: ${warning}`]),
  ];
  return `${blocks.map((lines) => lines.map(withoutControls).join('\n')).join('\n\n')}\n`;
}

function printHead(report: Report): string[] {
  const { url, finalUrl, score, label, summary, needsReviewCount, engine, durationMs } = report;
  const parts = impacts
    .filter((impact) => summary[impact] > 0)
    .map((impact) => `${summary[impact]} ${impact}`);
  const violations = `${plural(summary.total, 'violation')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
  return [
    finalUrl === url ? url : `${url} → ${finalUrl}`,
    `Score ${score} of 100${label === null ? '' : `, ${label}`}`,
    `${violations}; ${plural(needsReviewCount, 'rule')} to review by hand`,
    `axe-core ${engine.version}, WCAG 2.1 AA, ${(durationMs / 1_000).toFixed(1)} s`,
  ];
}

function printFinding({ impact, id, help, helpUrl, count, nodes }: Finding): string[] {
  const shown = nodes.slice(0, shownNodes);
  const more = count - shown.length;
  return [
    `${impact}  ${id}: ${help} (${plural(count, 'element')})`,
    `  ${helpUrl}`,
    ...shown.map((node) => `  - ${printTarget(node)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** `>>>` enters a shadow root, `|` a frame. */
function printTarget({ target }: FindingNode): string {
  return target.map((part) => (typeof part === 'string' ? part : part.join(' >>> '))).join(' | ');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The page's own text must neither steer the reader's terminal nor start a line. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '�');
}
