import { StatusError, type EmbeddedKube } from 'embedded-kube';
import { KOPF_EXAMPLES, NAMESPACE, type ExampleObject } from './example.resource.js';
import type { ObjectHistory } from './object.history.js';
import type { UserAction } from './schedule.plan.js';
import { choicesFor } from './seed.hash.js';

interface Content {
  readonly spec: object;
  readonly labels: object;
}

/** Does to objects what the schedule says, on a way of its own to the server. */
export class ScheduleUser {
  /** The content that objects had before their last change, by names. */
  private readonly former = new Map<string, Content>();
  /** Names of objects that are to be created again as soon as the old ones have gone. */
  private readonly recreated = new Set<string>();
  private created = 0;

  constructor(
    private readonly kube: EmbeddedKube,
    private readonly history: ObjectHistory,
    private readonly seed: number,
  ) {
    history.onState((past) => {
      if (past.isGone && this.recreated.delete(past.name)) queueMicrotask(() => void this.create(past.name));
    });
  }

  /** Does one thing; what cannot be done now, as there is no such object, is left out. */
  async act(action: UserAction): Promise<void> {
    try {
      await this.perform(action);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  private async perform(action: UserAction): Promise<void> {
    const { name } = action;
    switch (action.do) {
      case 'create':
        return this.create(name);
      case 'edit':
        return this.change(name, { spec: { [action.field]: action.value } });
      case 'label':
        return this.change(name, { metadata: { labels: { on: this.isOn(name) ? null : 'yes' } } });
      case 'revert': {
        const former = this.former.get(name);
        return former && this.change(name, { spec: former.spec, metadata: { labels: { on: null, ...former.labels } } });
      }
      case 'delete':
        return this.delete(name);
      case 'recreate':
        if (this.find(name)) this.recreated.add(name);
        return this.delete(name);
      case 'replace':
        return this.replace(name);
    }
  }

  private async create(name: string): Promise<void> {
    const choices = choicesFor(this.seed, 'object', ++this.created);
    const labels = choices.withProbability(0.6) ? { on: 'yes' } : {};
    const spec = { a: choices.between(1, 4), b: choices.between(1, 4) };
    try {
      await this.kube.client.create(KOPF_EXAMPLES, NAMESPACE, { metadata: { name, labels }, spec });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  private async change(name: string, patch: object): Promise<void> {
    const object = this.find(name);
    if (!object) return;
    this.former.set(name, { spec: object.spec, labels: object.metadata.labels ?? {} });
    await this.kube.client.patch(KOPF_EXAMPLES, NAMESPACE, name, patch);
  }

  private async delete(name: string): Promise<void> {
    await this.kube.client.delete(KOPF_EXAMPLES, NAMESPACE, name);
  }

  /** Takes the object away from the operator by force, and creates another one of the same name at once. */
  private async replace(name: string): Promise<void> {
    const object = this.find(name);
    if (!object) return;
    const past = this.history.objects.get(object.metadata.uid);
    if (past) past.wasForced = true;
    await this.kube.client.patch(KOPF_EXAMPLES, NAMESPACE, name, { metadata: { finalizers: null } });
    await this.kube.client.delete(KOPF_EXAMPLES, NAMESPACE, name);
    await this.create(name);
  }

  private isOn(name: string): boolean {
    return this.find(name)?.metadata.labels?.on !== undefined;
  }

  private find(name: string): ExampleObject | undefined {
    return this.kube.client.get(KOPF_EXAMPLES, NAMESPACE, name) as ExampleObject | undefined;
  }
}
