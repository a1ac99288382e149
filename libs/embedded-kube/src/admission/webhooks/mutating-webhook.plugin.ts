import type { Logger } from '../../common/logger.js';
import type { AdmissionPlugin, Reinvocation } from '../admission.plugin.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import { type AdmissionView, AdmissionViews } from './matching/admission.view.js';
import type { CompiledWebhook } from './matching/compiled.webhook.js';
import type { WebhookMatcher } from './matching/webhook.matcher.js';
import type { WebhookCandidate, WebhookSource } from './matching/webhook.source.js';
import { MutationRounds } from './mutation.rounds.js';
import { mutate } from './object.mutation.js';
import { denial } from './review/webhook.errors.js';
import { type WebhookCaller, applyFailurePolicy } from './webhook.caller.js';

/** The plugin that lets the mutating webhooks change a write one after the other, and again after later changes if they ask for it. */
export class MutatingWebhookPlugin implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';
  private readonly rounds = new WeakMap<Reinvocation, MutationRounds>();

  constructor(
    private readonly source: WebhookSource,
    private readonly matcher: WebhookMatcher,
    private readonly caller: WebhookCaller,
    private readonly logger: Logger,
  ) {}

  admit(attributes: AdmissionAttributes, reinvocation: Reinvocation): void | Promise<void> {
    const candidates = this.source.candidatesFor(attributes);
    if (candidates.length === 0) return;
    const views = new AdmissionViews(attributes);
    // Many writes match no webhook: only a write that matches one takes time.
    for (const [index, candidate] of candidates.entries()) {
      const view = this.matcher.match(candidate, views);
      if (view) return this.askAll(candidates.slice(index), view, views, reinvocation);
    }
  }

  /** @param first the objects for the first of the candidates */
  private async askAll(
    candidates: readonly WebhookCandidate[],
    first: AdmissionView,
    views: AdmissionViews,
    reinvocation: Reinvocation,
  ): Promise<void> {
    const rounds = this.roundsOf(reinvocation);
    const { object } = views.attributes;
    if (reinvocation.isSecondRound) rounds.compare(object);
    for (const [index, candidate] of candidates.entries()) {
      const { webhook } = candidate;
      const view = index === 0 ? first : this.matcher.match(candidate, views);
      if (!view || (reinvocation.isSecondRound && !rounds.isDue(webhook.key))) continue;
      if (await this.ask(webhook, view)) {
        views.invalidate();
        rounds.noteChange();
        reinvocation.request();
      }
      if (webhook.spec.reinvocationPolicy === 'IfNeeded') rounds.remember(webhook.key);
    }
    rounds.keep(object);
  }

  /** @returns whether the object changed */
  private async ask(webhook: CompiledWebhook, view: AdmissionView): Promise<boolean> {
    try {
      const response = await this.caller.call(webhook, view, true);
      if (!response.allowed) throw denial(webhook.spec.name, response.status);
      return mutate(webhook.spec.name, view, response);
    } catch (error) {
      applyFailurePolicy(webhook, error, this.logger);
      return false;
    }
  }

  private roundsOf(reinvocation: Reinvocation): MutationRounds {
    let rounds = this.rounds.get(reinvocation);
    if (!rounds) this.rounds.set(reinvocation, (rounds = new MutationRounds()));
    return rounds;
  }
}
