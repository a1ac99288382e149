import type { TestingModule } from '@nestjs/testing';
import { isDeepStrictEqual } from 'node:util';
import { applyMergePatch, isMap, type JsonMap, type KubeRequest, parseJson } from 'kube-common';
import type { JsonPatchOperation } from 'nestjs-kopf/tooling';
import { KopfSettings, type KubeObject, type PersistenceSettings } from 'nestjs-kopf';
import { baseNameOf } from '../oracles/final.state.js';
import type { PatchFormat, PatchPart } from '../simulation.plan.js';
import { placeOf } from './request.place.js';
import type { WorldObjects } from '../world/world.objects.js';

/** A patch of the framework: of what handlers have put into their patches, or of the framework's own state. */
export interface FrameworkPatch {
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Absent for objects of the cluster. */
  readonly namespace?: string;
  readonly name: string;
  /** Whether the API server has generated the name, so that it differs in each run. */
  readonly isGenerated: boolean;
  readonly format: PatchFormat;
  /** The parts that the patch would change. */
  readonly parts: ReadonlySet<PatchPart>;
}

const CUSTOM_RESOURCES = 'customresourcedefinitions.apiextensions.k8s.io';
const PLACE = /(?:\/namespaces\/([^/]+))?\/[^/]+\/([^/?]+)(\/status)?(?:\?.*)?$/;

/**
 * Finds the parts that patches would change. Only patches of the framework have parts: they are bound to the uid or the version of their object.
 * Requests that handlers send themselves have none.
 */
export class PatchParts {
  private persistence?: PersistenceSettings;

  constructor(private readonly objects: Pick<WorldObjects, 'findNamed'>) {}

  /** Finds the annotations in which the framework keeps its state. They are the same in all replicas. */
  follow(module: TestingModule): void {
    this.persistence = module.get(KopfSettings, { strict: false }).persistence;
  }

  /** The patch of a request; `undefined` if it is no patch of the framework, or if its object does not exist. */
  of(request: KubeRequest): FrameworkPatch | undefined {
    const place = request.method === 'PATCH' ? placeOf(request) : undefined;
    const found = place?.object === undefined ? undefined : PLACE.exec(request.path);
    if (!place || !found) return undefined;
    const format = formatOf(request);
    const content = parseJson(request.body ?? '{}');
    if (!isOfFramework(format, content)) return undefined;
    const [, namespace, encoded = '', status] = found;
    const name = decodeURIComponent(encoded);
    const before = this.objects.findNamed(place.resource, namespace, name);
    if (!before) return undefined;
    const isCustom = this.objects.findNamed(CUSTOM_RESOURCES, undefined, place.resource) !== undefined;
    const changes = format === 'json' ? operationsOf(content, before) : mergedOf(content, before);
    const parts = status ? new Set<PatchPart>(['status']) : this.partsOf(changes, isCustom);
    const isGenerated = baseNameOf(before) !== name;
    const { resource } = place;
    return { resource, ...(namespace !== undefined && { namespace }), name, isGenerated, format, parts };
  }

  private partsOf(changed: readonly (readonly string[])[], isCustom: boolean): ReadonlySet<PatchPart> {
    const parts = new Set<PatchPart>(['object']);
    for (const [top, field, key = ''] of changed) {
      // For built-in resources, a status that is sent with the object is not stored, and policies do not see it.
      if (top === 'status' && isCustom) parts.add('status');
      if (top !== 'metadata') continue;
      if (field === 'finalizers') parts.add('finalizers');
      if (field === 'annotations' && this.isOwn(key)) parts.add('annotations');
    }
    return parts;
  }

  /** Whether the framework keeps its state in an annotation: its storages then leave the annotation out of what they compare. */
  private isOwn(key: string): boolean {
    if (!this.persistence || key === '') return false;
    const { progressStorage, diffbaseStorage } = this.persistence;
    const body = { metadata: { annotations: { [key]: 'a value' } } } as unknown as KubeObject;
    const essence = progressStorage.clear(diffbaseStorage.build(body, [])) as JsonMap;
    const { annotations } = (essence.metadata ?? {}) as { annotations?: JsonMap };
    return annotations?.[key] === undefined;
  }
}

function formatOf({ headers }: KubeRequest): PatchFormat {
  const type = headers['content-type'] ?? '';
  if (type.includes('json-patch')) return 'json';
  return type.includes('apply-patch') ? 'apply' : 'merge';
}

function isOfFramework(format: PatchFormat, content: unknown): boolean {
  if (format !== 'json') return isMap(content) && isMap(content.metadata) && content.metadata.uid !== undefined;
  const [first] = content as readonly JsonPatchOperation[];
  return first?.op === 'test' && first.path === '/metadata/resourceVersion';
}

/** The paths of the fields that a JSON patch changes. */
function operationsOf(content: unknown, before: KubeObject): readonly (readonly string[])[] {
  return (content as readonly JsonPatchOperation[]).flatMap((operation) => {
    if (operation.op === 'test') return [];
    const path = parsePointer(operation.path);
    if (path.length !== 2 || path[1] !== 'annotations') return [path];
    // The map itself is added with its first annotation, and removed with its last one.
    const annotations = 'value' in operation ? operation.value : before.metadata.annotations;
    return Object.keys((annotations ?? {}) as object).map((key) => [...path, key]);
  });
}

function parsePointer(pointer: string): readonly string[] {
  const names = pointer.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The paths of the fields that a merge patch or a server-side apply changes: one level deeper in the metadata, and two in annotations. */
function mergedOf(content: unknown, before: KubeObject): readonly (readonly string[])[] {
  const given = content as JsonMap;
  const old = before as unknown as JsonMap;
  const after = applyMergePatch(old, given) as JsonMap;
  return changedKeys(old, after, Object.keys(given)).flatMap((top) => {
    if (top !== 'metadata') return [[top]];
    const [from, to] = [old.metadata as JsonMap, after.metadata as JsonMap];
    return changedKeys(from, to, Object.keys(given.metadata as JsonMap)).flatMap((field) => {
      if (field !== 'annotations') return [[top, field]];
      const [was, is] = [(from.annotations ?? {}) as JsonMap, (to.annotations ?? {}) as JsonMap];
      return changedKeys(was, is, Object.keys({ ...was, ...is })).map((key) => [top, field, key]);
    });
  });
}

function changedKeys(before: JsonMap, after: JsonMap, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
