import { type CelProgram, PER_CALL_LIMIT } from '../../cel/cel.environment.js';
import { CelBudgetError, CostPace } from '../../cel/evaluation/cost.budget.js';
import { CelEvaluationError } from '../../cel/values/cel.error.js';
import type { CelValue } from '../../cel/values/cel.value.js';
import { typeOfValue } from '../../cel/values/value.type.js';
import type { Eventual } from '../../common/eventual.js';
import { type PacedSteps, runPaced } from '../../common/paced.steps.js';
import { forbidden } from '../../errors/status.errors.js';
import { StatusError } from '../../errors/status.error.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import { resourceName } from '../../resources/served.resource.js';
import type { AdmissionPlugin } from '../admission.plugin.js';
import { AdmissionViews } from '../webhooks/matching/admission.view.js';
import type { CompiledValidation } from './compiled.policy.js';
import {
  isExpressionError,
  type PolicyDispatcher,
  type PolicyInvocation,
  type PolicyProblem,
} from './policy.dispatcher.js';
import type { PolicyEvaluation } from './policy.evaluation.js';

/** The longest message that an expression can make, in bytes. */
const MESSAGE_LIMIT = 5 * 1024;
const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

interface Denial extends PolicyProblem {
  readonly reason?: string;
}

/** The plugin that rejects writes by ValidatingAdmissionPolicies that have bindings, or warns of them. */
export class ValidatingPolicyPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';

  constructor(private readonly dispatcher: PolicyDispatcher) {}

  validate(attributes: AdmissionAttributes): Eventual<void> {
    if (this.dispatcher.isIdle) return;
    return runPaced(this.validateAll(attributes));
  }

  private *validateAll(attributes: AdmissionAttributes): PacedSteps<void> {
    const denials: Denial[] = [];
    const views = new AdmissionViews(attributes);
    const pace = new CostPace();
    const invocations = this.dispatcher.invocations(attributes, (problem) => denials.push(problem));
    for (const invocation of invocations) {
      for (const denial of yield* this.evaluate(invocation, views, pace)) this.act(denial, attributes, denials);
    }
    const [first] = denials;
    if (first) throw rejection(attributes, first);
  }

  private act(denial: Denial, { warn }: AdmissionAttributes, denials: Denial[]): void {
    const { policy, binding, message } = denial;
    for (const action of binding.spec.validationActions ?? []) {
      if (action === 'Deny') denials.push(denial);
      if (action !== 'Warn') continue;
      warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
    }
  }

  private *evaluate(invocation: PolicyInvocation, views: AdmissionViews, pace: CostPace): PacedSteps<Denial[]> {
    const { policy, served } = invocation;
    const failed = (error: unknown): Denial[] => {
      if (!isExpressionError(error)) throw error;
      return policy.spec.failurePolicy === 'Ignore' ? [] : [denialOf(invocation, error.message)];
    };
    try {
      const begun = this.dispatcher.begin(invocation, views.in(served), pace);
      if (!begun) return [];
      const { evaluation, expressions } = begun;
      const results: Result[] = [];
      for (const validation of expressions.validations) {
        results.push(resultOf(validation, evaluation, failed));
        if (pace.isOver) yield;
      }
      const exceeded = yield* exceededMessages(results, evaluation, pace);
      const denials = results.flatMap(({ validation, holds, failure }): Denial[] => {
        if (failure) return failure;
        if (exceeded) return failed(new CelEvaluationError(`failed messageExpression: ${exceeded.message}`));
        if (holds) return [];
        const reason = validation.spec.reason ?? 'Invalid';
        return [{ ...denialOf(invocation, messageOf(validation, evaluation)), reason }];
      });
      const budget = evaluation.newBudget();
      for (const program of expressions.annotations) {
        denials.push(...annotationDenials(program, invocation, () => evaluation.value(program, budget), failed));
        if (pace.isOver) yield;
      }
      return denials;
    } catch (error) {
      return failed(error);
    }
  }
}

/** The result of one validation: whether it holds, or the denials that its failure makes. */
interface Result {
  readonly validation: CompiledValidation;
  readonly holds: boolean;
  readonly failure?: Denial[];
}

function denialOf({ policy, binding }: PolicyInvocation, message: string): Denial {
  return { policy, binding, message };
}

/** @throws CelBudgetError */
function resultOf(
  validation: CompiledValidation,
  evaluation: PolicyEvaluation,
  failed: (error: unknown) => Denial[],
): Result {
  try {
    return { validation, holds: evaluation.value(validation.program) === true };
  } catch (error) {
    if (error instanceof CelBudgetError) throw error;
    return { validation, holds: false, failure: failed(error) };
  }
}

/** Evaluates all messages, also those that are not returned, as the real server does, where they could cost too much together. */
function* exceededMessages(
  results: readonly Result[],
  evaluation: PolicyEvaluation,
  pace: CostPace,
): PacedSteps<CelBudgetError | undefined> {
  const programs = results.flatMap(({ validation }) => validation.message ?? []);
  if (!evaluation.budget.canBeExceededBy(programs.length, PER_CALL_LIMIT)) return undefined;
  try {
    for (const program of programs) {
      computed(() => evaluation.value(program));
      if (pace.isOver) yield;
    }
    return undefined;
  } catch (error) {
    if (error instanceof CelBudgetError) return error;
    throw error;
  }
}

/** Evaluates audit annotations: their values are not kept, but an annotation without a value rejects the write. */
function annotationDenials(
  { expression }: CelProgram,
  invocation: PolicyInvocation,
  evaluate: () => CelValue,
  failed: (error: unknown) => Denial[],
): Denial[] {
  try {
    const value = evaluate();
    if (value === null || typeof value === 'string') return [];
    const { text } = typeOfValue(value);
    const problem = `resulted in unsupported return type: ${text}. Return type must be either string or null.`;
    return [denialOf(invocation, `valueExpression '${expression}' ${problem}`)];
  } catch (error) {
    return failed(error);
  }
}

function messageOf({ spec, message }: CompiledValidation, evaluation: PolicyEvaluation): string {
  const made = message && computed(() => evaluation.value(message));
  const text = typeof made === 'string' ? made.trim() : '';
  if (text && Buffer.byteLength(text) <= MESSAGE_LIMIT && !text.includes('\n')) return text;
  return spec.message?.trim() || `failed expression: ${spec.expression.trim()}`;
}

/** Returns the value of an expression that is allowed to have none. */
function computed(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    if (isExpressionError(error) && !(error instanceof CelBudgetError)) return undefined;
    throw error;
  }
}

function rejection(
  { served, name, object }: AdmissionAttributes,
  { policy, binding, message, reason = 'Invalid' }: Denial,
) {
  const text = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
  const subject = name || (object?.metadata.generateName ?? '');
  const error = forbidden(resourceName(served), subject, text);
  const details = { ...error.details, causes: [{ message: text }] };
  return new StatusError(CODES[reason] ?? 422, reason, error.message, details);
}
