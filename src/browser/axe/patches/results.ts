import { type Patch, replaceFunction } from '../patch.ts';

interface Configuration {
  readonly reporter?: string;
  readonly noHtml?: boolean;
  readonly allowedOrigins?: string[];
}

declare function getDefaultOrigin(): string | undefined;

function getDefaultConfiguration(audit: Configuration | undefined): object {
  const origin = getDefaultOrigin();
  return {
    rules: [],
    checks: [],
    data: { checks: {}, rules: {} },
    ...audit,
    reporter: audit?.reporter ?? null,
    noHtml: audit?.noHtml ?? false,
    allowedOrigins: audit?.allowedOrigins ?? (origin === undefined ? [] : [origin]),
  };
}

export const results: readonly Patch[] = [
  replaceFunction(
    `All that axe is told of its rules is copied, for the case that it is started anew.`,
    getDefaultConfiguration,
  ),
  {
    reason: `Style sheets and media are loaded for rules that have no element to look at. No rule looks at
      anything else of what is loaded.`,
    start: 'if (runLaterRules.length) {',
    replacement: (original) =>
      original.replace(
        'runLaterRules.length',
        'runLaterRules.some((rule) => rule.gather(context).length > 0)',
      ),
  },
  {
    reason: `One element that passes is described for each rule, also where passes aren't asked for.`,
    start: 'ruleResult.nodes = [ ruleResult.nodes[0] ];',
    replacement: 'ruleResult.nodes = [];',
  },
];
