import { toJson } from '../../cel/values/json.value.js';
import { CostPace } from '../../cel/evaluation/cost.budget.js';
import type { Eventual } from '../../common/eventual.js';
import { type PacedSteps, runPaced } from '../../common/paced.steps.js';
import { isMapping } from '../../common/json.values.js';
import type { FieldManager } from '../../apply/field.manager.js';
import { mergeValues } from '../../apply/value.merge.js';
import { forbidden } from '../../errors/status.errors.js';
import { StatusError } from '../../errors/status.error.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import { applyJsonPatch } from '../../patching/json.patch.js';
import { PatchError } from '../../patching/patch.error.js';
import { resourceName } from '../../resources/served.resource.js';
import type { AdmissionPlugin, Reinvocation } from '../admission.plugin.js';
import { type AdmissionView, AdmissionViews } from '../webhooks/matching/admission.view.js';
import { MutationRounds } from '../webhooks/mutation.rounds.js';
import { replaceObject } from '../webhooks/object.mutation.js';
import type { CompiledMutation } from './compiled.policy.js';
import {
  isExpressionError,
  type PolicyDispatcher,
  type PolicyInvocation,
  type PolicyProblem,
} from './policy.dispatcher.js';
import type { PolicyEvaluation } from './policy.evaluation.js';

/** The plugin that changes writes by MutatingAdmissionPolicies that have bindings. */
export class MutatingPolicyPlugin implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  private readonly rounds = new WeakMap<Reinvocation, MutationRounds>();

  constructor(
    private readonly dispatcher: PolicyDispatcher,
    private readonly fields: FieldManager,
  ) {}

  admit(attributes: AdmissionAttributes, reinvocation: Reinvocation): Eventual<void> {
    if (this.dispatcher.isIdle || !attributes.object) return;
    return runPaced(this.mutateAll(attributes, reinvocation));
  }

  private *mutateAll(attributes: AdmissionAttributes, reinvocation: Reinvocation): PacedSteps<void> {
    const object = attributes.object!;
    const pace = new CostPace();
    const problems: PolicyProblem[] = [];
    const invocations = this.dispatcher.invocations(attributes, (problem) => problems.push(problem));
    const views = new AdmissionViews(attributes);
    const rounds = this.roundsOf(reinvocation);
    if (reinvocation.isSecondRound) rounds.compare(object);
    for (const invocation of invocations) {
      const key = keyOf(invocation);
      if (reinvocation.isSecondRound && !rounds.isDue(key)) continue;
      const changed = yield* this.invoke(invocation, views, problems, pace);
      if (changed === undefined) continue;
      if (changed) {
        views.invalidate();
        rounds.noteChange();
        reinvocation.request();
      }
      if (invocation.policy.spec.reinvocationPolicy === 'IfNeeded') rounds.remember(key);
    }
    rounds.keep(object);
    const [first] = problems;
    if (first) throw rejection(attributes, first, problems);
  }

  /** @returns whether the object changed; `undefined` if the policy is not for it, or cannot be evaluated */
  private *invoke(
    invocation: PolicyInvocation,
    views: AdmissionViews,
    problems: PolicyProblem[],
    pace: CostPace,
  ): PacedSteps<boolean | undefined> {
    const { policy, binding, served } = invocation;
    const view = views.in(served);
    try {
      const begun = this.dispatcher.begin(invocation, view, pace);
      if (!begun) return undefined;
      let changed = false;
      for (const mutation of begun.expressions.mutations) {
        // Each mutation sees what those before it have made of the object.
        changed = this.mutate(mutation, this.dispatcher.evaluation(invocation, view, pace), view) || changed;
        if (pace.isOver) yield;
      }
      return changed;
    } catch (error) {
      if (!isExpressionError(error) && !(error instanceof PatchError)) throw error;
      const message = error instanceof PatchError ? `JSON Patch: ${error.detail}` : error.message;
      if (policy.spec.failurePolicy !== 'Ignore') problems.push({ policy, binding, message });
      return undefined;
    }
  }

  private mutate({ spec, program }: CompiledMutation, evaluation: PolicyEvaluation, view: AdmissionView): boolean {
    const made = toJson(evaluation.value(program));
    const before = view.object!;
    if (spec.patchType === 'JSONPatch') return replaceObject(view, applyJsonPatch(before, made));
    if (!isMapping(made)) return false;
    const { custom, schema, resource } = view.served;
    const type = this.fields.typeOf({ custom, resource, ...(schema && { schema }) });
    return replaceObject(view, mergeValues(before, made, type));
  }

  private roundsOf(reinvocation: Reinvocation): MutationRounds {
    let rounds = this.rounds.get(reinvocation);
    if (!rounds) this.rounds.set(reinvocation, (rounds = new MutationRounds()));
    return rounds;
  }
}

function keyOf({ policy, binding, params }: PolicyInvocation): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return `${policy.name}/${binding.name}/${namespace}/${name}`;
}

function rejection(
  { served, name, object }: AdmissionAttributes,
  first: PolicyProblem,
  problems: readonly PolicyProblem[],
): StatusError {
  const textOf = ({ policy, binding, message }: PolicyProblem): string =>
    `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
  const subject = name || (object?.metadata.generateName ?? '');
  const { details } = forbidden(resourceName(served), subject, '');
  const causes = problems.map((problem) => ({ message: textOf(problem) }));
  return new StatusError(403, 'Invalid', textOf(first), { ...details, causes });
}
