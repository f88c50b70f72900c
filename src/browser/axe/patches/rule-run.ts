import type {
  Check,
  CheckResult,
  CheckType,
  NodeResult,
  Rule,
  RuleResult,
  RunOptions,
  VirtualNode,
} from '../internals.ts';
import type { Patch } from '../patch.ts';

type RelatedNode = Node | VirtualNode;
interface EnabledCheck {
  readonly type: CheckType;
  readonly check: Check;
  readonly checkOptions: unknown;
}

// axe's own.
declare const check_result_default: new (check: Check) => CheckResult;
declare const dq_element_default: new (node: RelatedNode) => object;
declare const node_serializer_default: { toSpec(node: VirtualNode): unknown };
declare const rule_error_default: new (details: object) => Error;
declare const rule_result_default: new (rule: Rule) => RuleResult;
declare const abstract_virtual_node_default: new () => VirtualNode;
declare function get_check_option_default(
  check: Check,
  ruleId: string,
  options: RunOptions,
): { enabled: boolean; options: unknown };

function runRule(
  this: Rule,
  context: unknown,
  options: RunOptions,
  resolve: (result: RuleResult) => void,
  reject: (error: unknown) => void,
): void {
  if (options.performanceTimer) this._trackPerformance();
  const ruleResult = new rule_result_default(this);
  try {
    const nodes = this.gatherAndMatchNodes(context, options);
    if (options.performanceTimer) this._logGatherPerformance(nodes);
    runChecksOnAll(this, nodes, context, options, ruleResult);
  } catch (error) {
    reject(error);
    return;
  } finally {
    if (options.performanceTimer) this._logRulePerformance();
  }
  setTimeout(() => resolve(ruleResult), 0);
}

function runChecksOnAll(
  rule: Rule,
  nodes: VirtualNode[],
  context: unknown,
  options: RunOptions,
  ruleResult: RuleResult,
): void {
  const checks = enabledChecks(rule, options);
  if (checks.length === 0) return;
  // Where passes aren't asked for, axe shows one of them; what compares elements needs them all.
  const keepsPasses =
    options.resultTypes?.includes('passes') !== false ||
    rule.pageLevel ||
    checks.some(({ check }) => check.after !== undefined);
  let hasPass = false;
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as VirtualNode;
    const result: NodeResult = { any: [], all: [], none: [] };
    for (let index = 0; index < checks.length; index += 1) {
      const { type, check, checkOptions } = checks[index] as EnabledCheck;
      result[type].push(runCheck(rule, check, checkOptions, node, context));
    }
    if (rule.reviewOnFail) {
      for (const { type } of checks) {
        for (const checkResult of result[type]) {
          if (checkResult.result === (type === 'none')) checkResult.result = undefined;
        }
      }
    }
    const passes =
      (result.any.length === 0 || result.any.some((check) => check.result === true)) &&
      result.all.every((check) => check.result === true) &&
      result.none.every((check) => check.result === false);
    if (passes && hasPass && !keepsPasses) continue;
    hasPass ||= passes;
    result.node = new dq_element_default(node);
    ruleResult.nodes.push(result);
  }
}

function enabledChecks(rule: Rule, options: RunOptions): EnabledCheck[] {
  return (['any', 'all', 'none'] as const).flatMap((type) =>
    rule[type].flatMap((reference): EnabledCheck[] => {
      const check = rule._audit.checks[typeof reference === 'string' ? reference : reference.id];
      if (check === undefined) throw new Error(`no check for ${rule.id}`);
      const option = get_check_option_default(check, rule.id, options);
      return option.enabled
        ? [{ type, check, checkOptions: check.getOptions(option.options) }]
        : [];
    }),
  );
}

function runCheck(
  rule: Rule,
  check: Check,
  checkOptions: unknown,
  node: VirtualNode,
  context: unknown,
): CheckResult {
  const checkResult = new check_result_default(check);
  const helper = { checkResult, data: noteData, relatedNodes: noteRelatedNodes };
  try {
    checkResult.result = check.evaluate.call(helper, node.actualNode, checkOptions, node, context);
    return checkResult;
  } catch (error) {
    (error as { errorNode: unknown }).errorNode = node_serializer_default.toSpec(node);
    throw new rule_error_default({
      ruleId: rule.id,
      method: `${check.id}#evaluate`,
      errorNode: new dq_element_default(node),
      error,
    });
  }
}

/** What a check calls as its `this`. */
interface CheckHelper {
  readonly checkResult: CheckResult;
}

function noteData(this: CheckHelper, data: unknown): void {
  this.checkResult.data = data;
}

function noteRelatedNodes(this: CheckHelper, related: RelatedNode | ArrayLike<RelatedNode>): void {
  const isOne = related instanceof Node || related instanceof abstract_virtual_node_default;
  this.checkResult.relatedNodes = Array.from(isOne ? [related] : related)
    .map((node) => (node instanceof abstract_virtual_node_default ? node.actualNode : node))
    .filter((node) => node instanceof Node)
    .map((node) => new dq_element_default(node));
}

export const ruleRun: Patch = {
  reason: `Each check of each element goes through four queues and merges its options anew, although none of
    axe's own checks waits for anything; and each element that passes is described, to be dropped.`,
  start: 'Rule.prototype.run = function run2(context) {',
  replacement: [
    `Rule.prototype.run = ${runRule.toString()};`,
    runChecksOnAll,
    enabledChecks,
    runCheck,
    noteData,
    noteRelatedNodes,
  ].join('\n'),
};
