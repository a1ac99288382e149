import { jsonEqual, mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ResourceId } from './controller.js';
import { ReconcilingController } from './reconciling.controller.js';
import { objectKey } from './work.queue.js';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const SCHEMAS: ResourceId = { group: GROUP, plural: 'flowschemas' };
const LEVELS: ResourceId = { group: GROUP, plural: 'prioritylevelconfigurations' };
const TYPE = 'Dangling';
const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';

/** The controller that sets the condition of flow schemas whether their priority level exists. */
export class FlowSchemaController extends ReconcilingController {
  readonly name = 'api-priority-and-fairness-config-consumer';

  constructor() {
    super(SCHEMAS);
  }

  protected override watchOthers(): (() => void)[] {
    return [this.client.watch(LEVELS, ({ type, object }) => type !== 'MODIFIED' && this.addThoseOf(object))];
  }

  protected async reconcile(object: KubeObject): Promise<void> {
    const name = levelOf(object);
    const exists = this.client.get(LEVELS, undefined, name) !== undefined;
    const condition = {
      type: TYPE,
      status: exists ? 'False' : 'True',
      reason: exists ? 'Found' : 'NotFound',
      message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)} ${exists ? 'and it exists' : 'but there is no such object'}`,
    };
    const known = conditionsOf(object).find(({ type }) => type === TYPE);
    const { lastTransitionTime, ...said } = known ?? {};
    if (lastTransitionTime && jsonEqual(said, condition)) return;
    const changed = { ...condition, lastTransitionTime: this.now };
    const status = { conditions: [changed] };
    const options = { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' };
    await this.client.apply(SCHEMAS, undefined, object.metadata.name!, { status }, options);
  }

  private addThoseOf(level: KubeObject): void {
    for (const schema of this.client.list(SCHEMAS)) {
      if (levelOf(schema) === level.metadata.name) this.queue.add(objectKey(schema));
    }
  }
}

function levelOf(schema: KubeObject): string {
  return String(mapping(mapping(schema['spec'])['priorityLevelConfiguration'])['name']);
}

function conditionsOf(schema: KubeObject): readonly Readonly<Record<string, unknown>>[] {
  const conditions = mapping(schema['status'])['conditions'];
  return Array.isArray(conditions) ? (conditions as Record<string, unknown>[]) : [];
}
