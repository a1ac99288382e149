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

/** Rejects writes by ValidatingAdmissionPolicies that bindings put into effect, or warns of them. */
export class ValidatingPolicyPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';

  constructor(private readonly dispatcher: PolicyDispatcher) {}

  validate(attributes: AdmissionAttributes): void {
    if (this.dispatcher.isIdle) return;
    const denials: Denial[] = [];
    const views = new AdmissionViews(attributes);
    const invocations = this.dispatcher.invocations(attributes, (problem) => denials.push(problem));
    for (const invocation of invocations) {
      for (const denial of this.evaluate(invocation, views)) this.act(denial, attributes, denials);
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

  private evaluate(invocation: PolicyInvocation, views: AdmissionViews): Denial[] {
    const { policy, binding, served } = invocation;
    const failed = (error: unknown): Denial[] => {
      if (!isExpressionError(error)) throw error;
      return policy.spec.failurePolicy === 'Ignore' ? [] : [{ policy, binding, message: error.message }];
    };
    try {
      const begun = this.dispatcher.begin(invocation, views.in(served));
      if (!begun) return [];
      const { evaluation, expressions } = begun;
      return expressions.validations.flatMap((validation): Denial[] => {
        try {
          if (evaluation.value(validation.program) === true) return [];
        } catch (error) {
          return failed(error);
        }
        const message = messageOf(validation, evaluation);
        return [{ policy, binding, message, reason: validation.spec.reason ?? 'Invalid' }];
      });
    } catch (error) {
      return failed(error);
    }
  }
}

function messageOf({ spec, message }: CompiledValidation, evaluation: PolicyEvaluation): string {
  const made = message && computed(() => evaluation.value(message));
  const text = typeof made === 'string' ? made.trim() : '';
  if (text && Buffer.byteLength(text) <= MESSAGE_LIMIT && !text.includes('\n')) return text;
  return spec.message?.trim() || `failed expression: ${spec.expression.trim()}`;
}

/** Gives the value of an expression that is allowed to have none. */
function computed(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    if (isExpressionError(error)) return undefined;
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
