import { Inject, Injectable } from '@nestjs/common';
import {
  adopt,
  Index,
  KOPF_CLOCK,
  OnCreate,
  OnField,
  OnUpdate,
  PermanentError,
  Timer,
  type ChangeContext,
  type Clock,
  type ObjectDiff,
  type KubeObject,
  type IndexContext,
  type TimerContext,
} from 'nestjs-kopf';
import { EphemeralVolumeClaim, type ClaimSpec, type ClaimStatus } from './claim.js';
import { decideUsage, isSelected } from './usage.js';
import { VolumeService } from './volume.service.js';
import { createVolumeClaim } from './volume.template.js';

type ClaimContext = ChangeContext<ClaimSpec, ClaimStatus>;

/** Gives every claim a volume of the wanted size and labels, and takes it back when the pods have finished. */
@Injectable()
export class ClaimOperator {
  constructor(
    @Inject(VolumeService) private readonly volumes: VolumeService,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnCreate(EphemeralVolumeClaim)
  async create({ spec, name, logger }: ClaimContext): Promise<Record<string, unknown>> {
    requireSize(spec);
    const created = await this.volumes.create(adopt(createVolumeClaim(name, spec)));
    logger.log(`The volume claim ${created.metadata.name} of ${spec.size} is created.`);
    return { 'pvc-name': created.metadata.name };
  }

  @OnUpdate(EphemeralVolumeClaim, { field: 'spec.size' })
  async resize(context: ClaimContext): Promise<void> {
    const { spec, old, namespace, status, patch, logger } = context;
    const size = requireSize(spec);
    const volume = status.create?.['pvc-name'];
    if (volume) {
      await this.volumes.resize(namespace, volume, size);
      logger.log(`The volume claim is resized from ${old} to ${size}.`);
    } else {
      // The creation has failed for want of a size, which is there now.
      patch.status.create = await this.create(context);
    }
  }

  @OnField(EphemeralVolumeClaim, { field: 'metadata.labels', when: ({ reason }) => reason === 'update' })
  async relabel({ diff, namespace, status, logger }: ClaimContext): Promise<void> {
    const volume = status.create?.['pvc-name'];
    if (!volume) return;
    const labels = toLabelChanges(diff);
    await this.volumes.relabel(namespace, volume, labels);
    logger.log(`The volume claim is relabelled: ${JSON.stringify(labels)}.`);
  }

  @Index('pods.v1', { id: 'pods' })
  indexPod({ namespace, name, labels, status }: IndexContext): Map<string, KubeObject> {
    return new Map([[namespace ?? '', { metadata: { name, labels: { ...labels } }, status: { phase: status.phase } }]]);
  }

  @Timer(EphemeralVolumeClaim, { interval: 1 })
  async watchUsage(context: TimerContext<ClaimSpec, ClaimStatus>): Promise<void> {
    const { spec, status, meta, namespace = '', name, uid, indices, patch, logger } = context;
    if (!spec.podSelector) return;
    const pods = [...(indices.pods.get(namespace) ?? [])].filter((pod) => isSelected(spec, pod));
    const age = (this.clock.now() - Date.parse(meta.creationTimestamp ?? '')) / 1000;
    const usage = decideUsage(spec, age, pods, status.usage?.used ?? false);
    if (usage.phase !== status.usage?.phase) {
      logger.log(
        `The volume is ${usage.phase}: ${pods.length} pods of it are there, after ${Math.floor(age)} seconds.`,
      );
      patch.status.usage = usage;
    }
    if (usage.phase === 'Finished' || usage.phase === 'Expired') await this.volumes.release(namespace, name, uid);
  }
}

function requireSize({ size }: ClaimSpec): string {
  if (!size) throw new PermanentError(`Size must be set. Got ${size}.`);
  return size;
}

/** Converts a diff of labels to a patch: the new values, and `null` for removed labels. */
function toLabelChanges(diff: ObjectDiff): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const [, [label], old, value] of diff) {
    if (label !== undefined) changes[label] = value as string | null;
    // Without a path, the first label came or the last one went: all of them are in the values.
    else
      Object.assign(
        changes,
        mapValues(old, () => null),
        value,
      );
  }
  return changes;
}

function mapValues<T>(map: unknown, fn: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, fn(value)]));
}
