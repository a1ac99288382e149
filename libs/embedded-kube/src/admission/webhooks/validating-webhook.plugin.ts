import type { Logger } from '../../common/logger.js';
import type { AdmissionPlugin } from '../admission.plugin.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import { type AdmissionView, AdmissionViews } from './matching/admission.view.js';
import type { CompiledWebhook } from './matching/compiled.webhook.js';
import type { WebhookMatcher } from './matching/webhook.matcher.js';
import type { WebhookSource } from './matching/webhook.source.js';
import { denial } from './review/webhook.errors.js';
import { type WebhookCaller, applyFailurePolicy } from './webhook.caller.js';

/** The plugin that calls all validating webhooks of a write at once, and returns the first rejection. */
export class ValidatingWebhookPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';

  constructor(
    private readonly source: WebhookSource,
    private readonly matcher: WebhookMatcher,
    private readonly caller: WebhookCaller,
    private readonly logger: Logger,
  ) {}

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const candidates = this.source.candidatesFor(attributes);
    if (candidates.length === 0) return;
    const views = new AdmissionViews(attributes);
    const invocations = candidates.flatMap((candidate) => {
      const view = this.matcher.match(candidate, views);
      return view ? [{ webhook: candidate.webhook, view }] : [];
    });
    if (invocations.length > 0) return this.askAll(invocations);
  }

  private async askAll(invocations: readonly { webhook: CompiledWebhook; view: AdmissionView }[]): Promise<void> {
    const rejections: unknown[] = [];
    await Promise.all(
      invocations.map(({ webhook, view }) => this.ask(webhook, view).catch((error: unknown) => rejections.push(error))),
    );
    if (rejections.length > 0) throw rejections[0];
  }

  private async ask(webhook: CompiledWebhook, view: AdmissionView): Promise<void> {
    const response = await this.caller.call(webhook, view, false).catch((error: unknown) => {
      applyFailurePolicy(webhook, error, this.logger);
    });
    if (response && !response.allowed) throw denial(webhook.spec.name, response.status);
  }
}
