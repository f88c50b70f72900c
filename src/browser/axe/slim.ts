/*
 * Takes out of axe-core's bundle what a run by the given tags can't reach: other rules and their
 * checks, polyfills for what every Chromium has, Color.js (see read-color.ts), and with them whatever
 * nothing refers to any more. For the last the bundle becomes one plain list of declarations, of which
 * a minifier drops the unused; it is told which calls have no effect but their value. It all is for the
 * start in a new renderer, which parses and runs the bundle anew: a third of it was for nothing.
 */
import { runInNewContext } from 'node:vm';

interface RuleSpec {
  readonly id: string;
  readonly tags: readonly string[];
  readonly matches?: string;
  readonly any: readonly CheckReference[];
  readonly all: readonly CheckReference[];
  readonly none: readonly CheckReference[];
}

type CheckReference = string | { readonly id: string };

interface CheckSpec {
  readonly id: string;
  readonly evaluate: string;
  readonly after?: string;
}

interface Configuration {
  readonly lang: string;
  readonly data: {
    readonly rules: Record<string, unknown>;
    readonly checks: Record<string, unknown>;
    readonly failureSummaries: Record<string, { readonly failureMessage: () => unknown }>;
  };
  readonly rules: readonly RuleSpec[];
  readonly checks: readonly CheckSpec[];
}

/** As axe itself leaves them out where they aren't asked for. */
const excludedTags = ['experimental', 'deprecated'];
/** No rule's: it tells that a rule broke off. */
const brokenOffCheck = 'error-occurred';
/** Of `axe.utils`, what isn't called by axe itself but by us. */
const usedUtils: ReadonlySet<string> = new Set(['getFrameContexts', 'shadowSelect']);

export function slim(bundle: string, tags: readonly string[]): string {
  const [code, literal] = splitAt(unwrap(bundle), '  axe._load(');
  const config = runInNewContext(`(${literal.replace(/\);\s*$/, '')})`) as Configuration;
  const kept = keepRules(config, tags);
  const functions = new Set([
    ...kept.rules.map(({ matches }) => matches),
    ...kept.checks.flatMap(({ evaluate, after }) => [evaluate, after]),
  ]);
  const declarations = keepFunctions(withoutColors(withoutPolyfills(code)), functions);
  return `${markPure(keepExports(declarations))}axe._load(${print(kept)});`;
}

/** What was within two functions is declared side by side. */
function unwrap(bundle: string): string {
  const swaps = [
    ['(function axeFunction(window) {\n', 'var window = globalThis;\n'],
    [
      '  (function(_globalThis$process, _CSS, _window$Intl) {\n',
      '  var _globalThis$process, _CSS, _window$Intl;\n',
    ],
    ["  })();\n  'use strict';\n  axe._load({", '  axe._load({'],
    ["\n})(typeof window === 'object' ? window : this);", ''],
  ] as const;
  return swaps.reduce(
    (source, [find, replacement]) => splitAt(source, find).join(replacement),
    bundle,
  );
}

function withoutPolyfills(code: string): string {
  const [before, rest] = splitAt(code, "    if (!('hasOwn' in Object)) {\n");
  const [, after] = splitAt(rest, '    var import_css_selector_parser = ');
  return `${before}    var import_css_selector_parser = ${after}`;
}

/** The whole of Color.js; nothing but `src_default` of it was asked for. */
function withoutColors(code: string): string {
  const [before, rest] = splitAt(code, '    var util_exports = {};\n');
  const [, after] = splitAt(rest, '    var src_default = color_default;\n');
  return before + after;
}

function keepRules(
  { lang, data, ...specs }: Configuration,
  tags: readonly string[],
): Configuration {
  const hasOneOf = (rule: RuleSpec, list: readonly string[]) =>
    list.some((tag) => rule.tags.includes(tag));
  const rules = specs.rules.filter((rule) => hasOneOf(rule, tags) && !hasOneOf(rule, excludedTags));
  const used = new Set([
    brokenOffCheck,
    ...rules
      .flatMap(({ any, all, none }) => [...any, ...all, ...none])
      .map((check) => (typeof check === 'string' ? check : check.id)),
  ]);
  const checks = specs.checks.filter(({ id }) => used.has(id));
  const pick = (texts: Record<string, unknown>, kept: readonly { id: string }[]) =>
    Object.fromEntries(kept.map(({ id }) => [id, texts[id]]));
  return {
    lang,
    data: { ...data, rules: pick(data.rules, rules), checks: pick(data.checks, checks) },
    rules,
    checks,
  };
}

function keepFunctions(code: string, names: ReadonlySet<string | undefined>): string {
  const start = '    var metadataFunctionMap = {\n';
  const [before, rest] = splitAt(code, start);
  const end = rest.indexOf('\n    };\n');
  const entries = rest.slice(0, end).split(',\n');
  const kept = entries.filter((entry) => names.has(/^\s*'?([\w-]+)'?:/.exec(entry)?.[1]));
  return `${before}${start}${kept.join(',\n')}${rest.slice(end)}`;
}

/** Of what the parts of axe offer each other, only what is asked for by its name somewhere. */
function keepExports(code: string): string {
  const lists =
    /^ {4}__export\((?:utils|dom|math|text|table|aria|standards|color|forms)_exports, \{\n[^]*?\n {4}\}\);\n/gm;
  const rest = code.replaceAll(lists, '');
  const isAskedFor = (name: string) =>
    usedUtils.has(name) || new RegExp(`[.'"]${name}\\b`).test(rest);
  return code.replaceAll(lists, (list) =>
    list.replaceAll(/^ {6}(\w+): function[^]*?\n {6}\},?\n/gm, (entry, name: string) =>
      isAskedFor(name) ? entry : '',
    ),
  );
}

function markPure(code: string): string {
  return code
    .replaceAll(
      /= __toModule\((require_\w+)\(\)\)/g,
      '= /* @__PURE__ */ __toModule(/* @__PURE__ */ $1())',
    )
    .replaceAll(/= (__commonJS|memoize_default)\(/g, '= /* @__PURE__ */ $1(');
}

function print({
  lang,
  data: { failureSummaries, ...data },
  rules,
  checks,
}: Configuration): string {
  const summaries = Object.entries(failureSummaries).map(
    ([type, { failureMessage }]) => `${type}: { failureMessage: ${failureMessage.toString()} }`,
  );
  const parse = (part: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(part))})`;
  return `{
    lang: ${JSON.stringify(lang)},
    data: { ...${parse(data)}, failureSummaries: { ${summaries.join(', ')} } },
    rules: ${parse(rules)},
    checks: ${parse(checks)},
  }`;
}

function splitAt(source: string, separator: string): [before: string, after: string] {
  const [before, after, ...others] = source.split(separator);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(`the bundle has none or several of: ${separator}`);
  }
  return [before, after];
}
