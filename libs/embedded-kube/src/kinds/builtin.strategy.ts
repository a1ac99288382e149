import { isMapping, jsonEqual, mapping } from '../common/json.values.js';
import { type FieldError, invalidField } from '../errors/field.error.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { type NameRule, subdomain } from '../resources/name.rules.js';
import type { ResourceStrategy } from '../resources/resource.strategy.js';
import type { TypedCodec } from '../typed/typed.codec.js';
import type { BuiltinKind, TypedStruct } from '../typed/typed.schema.js';

const STANDARD_FINALIZERS = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
  'customresourcecleanup.apiextensions.k8s.io',
]);

/** The differences of a built-in resource from the common behaviour. */
export interface BuiltinTraits {
  /** @default subdomain */
  readonly nameRule?: NameRule;
  /**
   * The way in which `metadata.generation` counts changes: from 1 on, from none on (`changes`), or not at all, so that it stays 1
   * (`constant`).
   */
  readonly generation?: boolean | 'changes' | 'constant';
  /** Whether a write with an empty list or empty labels counts as a change, as the real server stores none. */
  readonly countsEmpty?: boolean;
  /** Whether changes of annotations count, too, unless they come with the status. */
  readonly countsAnnotations?: boolean;
  /** Whether changes of labels count, too. */
  readonly countsLabels?: boolean;
  /** Returns an object's content without what can change without being counted. */
  readonly counted?: (content: Readonly<Record<string, unknown>>) => object;
  /** Whether an object can be replaced without naming the version that it replaces. @default true */
  readonly unconditionalUpdate?: boolean;
  readonly returnsDeleted?: boolean;
  /** Whether dependents of a deleted object are kept unless the request says otherwise. */
  readonly orphansDependents?: boolean;
  /** Whether the object is no owner to the garbage collector. */
  readonly ownsNothing?: boolean;
  /** The warning for clients that delete objects without a policy for dependents. */
  readonly deletionWarning?: string;
  /** Whether a write of the status leaves the metadata as they are. */
  readonly keepsMetadata?: boolean;
  /** Whether a new object keeps the status that it comes with. */
  readonly keepsStatus?: boolean;
  /** The status of a new object. @default an empty one */
  readonly initialStatus?: object | ((draft: Draft) => object);
  /** Sets defaults in a decoded object. */
  readonly defaults?: (draft: Draft) => void;
  /** Sets further fields of a new object, which has its identity already. */
  readonly prepareForCreate?: (draft: Draft) => void;
  /** Sets further fields of an object that is changed, other than its status. */
  readonly prepareForUpdate?: (draft: Draft, previous: KubeObject) => void;
  /** Sets further fields of an object whose status is changed. */
  readonly prepareForStatus?: (draft: Draft, previous: KubeObject) => void;
  readonly validate?: (object: Draft, previous: KubeObject | undefined, subresource?: string) => FieldError[];
  /** Whether finalizers without a domain are accepted, as in custom resources. */
  readonly unqualifiedFinalizers?: boolean;
  /** Returns the warnings for the client about a valid object, unless only a part of it is written through a subresource. */
  readonly warnings?: ((object: Draft, previous: KubeObject | undefined) => readonly string[]) | undefined;
  readonly gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  readonly markDeleted?: (draft: Draft, deletionTimestamp: string) => void;
  readonly holdsDeletion?: (object: KubeObject) => boolean;
}

/** A function that works on the fields of a type, at every depth. */
export interface TypedFields {
  readonly setDefaults: (draft: Draft) => void;
  readonly dropDisabled: (draft: Draft) => void;
}

/** The life of objects of built-in kinds. */
export class BuiltinStrategy implements ResourceStrategy {
  readonly nameRule: NameRule;
  readonly unconditionalUpdate: boolean;
  readonly returnsDeleted: boolean;
  readonly orphansDependents: boolean | undefined;
  readonly ownsNothing: boolean | undefined;
  readonly deletionWarning: string | undefined;
  readonly gracePeriod: ResourceStrategy['gracePeriod'];
  readonly markDeleted: ResourceStrategy['markDeleted'];
  readonly holdsDeletion: ResourceStrategy['holdsDeletion'];

  /**
   * @param struct the type of the objects; `undefined` if it is not known
   * @param fields sets the defaults of that type, and takes out the fields of features that are off
   */
  constructor(
    private readonly traits: BuiltinTraits,
    readonly statusSubresource: boolean,
    private readonly codec: TypedCodec,
    private readonly struct: TypedStruct | undefined,
    private readonly fields: TypedFields = { setDefaults: () => undefined, dropDisabled: () => undefined },
  ) {
    this.nameRule = traits.nameRule ?? subdomain;
    this.unconditionalUpdate = traits.unconditionalUpdate ?? true;
    this.returnsDeleted = traits.returnsDeleted ?? false;
    this.orphansDependents = traits.orphansDependents;
    this.ownsNothing = traits.ownsNothing;
    this.deletionWarning = traits.deletionWarning;
    this.gracePeriod = traits.gracePeriod;
    this.markDeleted = traits.markDeleted;
    this.holdsDeletion = traits.holdsDeletion;
  }

  decode({ apiVersion, kind, metadata, ...content }: Draft, unknown: string[]): Draft {
    const { struct, codec } = this;
    const decoded = struct ? codec.decoder.decode(content, struct, '', unknown) : content;
    const draft: Draft = { kind, apiVersion, metadata, ...decoded };
    this.fields.setDefaults(draft);
    this.traits.defaults?.(draft);
    return draft;
  }

  describeMismatch(body: unknown, kind?: BuiltinKind): string | undefined {
    const struct = kind ? this.codec.schema.ofKind(kind) : this.struct;
    return struct && this.codec.describeMismatch(body, struct);
  }

  describeConversion(object: unknown): string | undefined {
    return this.struct && this.codec.describeConversion(object, this.struct);
  }

  encode(draft: Draft, isSent = false): Draft {
    const { apiVersion, kind, metadata, ...content } = draft;
    const encoder = isSent ? this.codec.sentEncoder : this.codec.encoder;
    const encoded = this.struct ? encoder.encode(content, this.struct) : { metadata, ...content };
    return { kind, apiVersion, ...encoded, metadata };
  }

  prepareForCreate(draft: Draft): void {
    this.fields.dropDisabled(draft);
    const { initialStatus = {}, keepsStatus } = this.traits;
    if (this.statusSubresource && !keepsStatus) {
      draft['status'] =
        typeof initialStatus === 'function' ? (initialStatus as (draft: Draft) => object)(draft) : initialStatus;
    }
    const { generation } = this.traits;
    if (generation && generation !== 'changes') draft.metadata.generation = 1;
    this.traits.prepareForCreate?.(draft);
  }

  prepareForUpdate(draft: Draft, previous: KubeObject, subresource: string | undefined): void {
    this.fields.dropDisabled(draft);
    if (subresource === 'status') {
      keepAllBut('status', draft, previous);
      if (this.traits.keepsMetadata) keepMetadata(draft, previous);
    } else if (subresource === 'approval') keepAllButConditions(draft, previous);
    else if (subresource === 'ephemeralcontainers') keepAllButEphemeralContainers(draft, previous);
    else if (subresource === 'finalize') this.keepAllButFinalizers(draft, previous);
    else if (this.statusSubresource && subresource !== 'binding') keep('status', draft, previous);
    if (subresource === undefined) this.traits.prepareForUpdate?.(draft, previous);
    if (subresource === 'status') this.traits.prepareForStatus?.(draft, previous);
    const { generation, countsAnnotations, countsLabels } = this.traits;
    const isAnnotated = countsAnnotations && subresource === undefined && hasOtherAnnotations(draft, previous);
    const isLabelled = countsLabels && !jsonEqual(draft.metadata.labels ?? {}, previous.metadata.labels ?? {});
    if (
      (generation === true || generation === 'changes') &&
      (isAnnotated || isLabelled || this.isChanged(draft, previous))
    ) {
      draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    }
  }

  validate(
    object: Draft,
    previous: KubeObject | undefined,
    warn?: (warning: string) => void,
    subresource?: string,
  ): FieldError[] {
    const { unqualifiedFinalizers, warnings } = this.traits;
    const errors = [
      ...(unqualifiedFinalizers ? [] : validateFinalizers(object)),
      ...(this.traits.validate?.(object, previous, subresource) ?? []),
    ];
    if (errors.length > 0 || subresource !== undefined || !warn) return errors;
    for (const warning of warnings?.(object, previous) ?? []) warn(warning);
    return errors;
  }

  /** Compares the contents as they are stored: fields that the server always writes are no change. */
  private isChanged(draft: Draft, previous: KubeObject): boolean {
    const { counted = (all: object) => all, countsEmpty } = this.traits;
    if (countsEmpty && hasEmpty(content(draft))) return true;
    const before = counted(content(previous));
    return !jsonEqual(counted(content(draft)), before) && !jsonEqual(counted(content(this.encode(draft))), before);
  }

  private keepAllButFinalizers(draft: Draft, previous: KubeObject): void {
    const { spec } = draft;
    const finalizers: unknown = isMapping(spec) ? spec['finalizers'] : undefined;
    keepAllBut('spec', draft, previous);
    keep('spec', draft, previous);
    const { finalizers: _, ...rest } = isMapping(draft['spec']) ? draft['spec'] : {};
    draft['spec'] = Array.isArray(finalizers) && finalizers.length > 0 ? { ...rest, finalizers } : rest;
  }
}

function keepAllButConditions(draft: Draft, previous: KubeObject): void {
  const { conditions } = mapping(draft['status']);
  keepAllBut('status', draft, previous);
  draft['status'] = { ...mapping(previous['status']), ...(conditions !== undefined && { conditions }) };
}

/** Keeps everything but the containers for debugging, which are added through a separate subresource. */
function keepAllButEphemeralContainers(draft: Draft, previous: KubeObject): void {
  const { ephemeralContainers } = mapping(draft['spec']);
  keepAllBut('spec', draft, previous);
  const { ephemeralContainers: _, ...spec } = mapping(previous['spec']);
  draft['spec'] = { ...spec, ...(ephemeralContainers !== undefined && { ephemeralContainers }) };
  keepMetadata(draft, previous);
}

function keepMetadata(draft: Draft, previous: KubeObject): void {
  const { managedFields } = draft.metadata;
  draft.metadata = { ...previous.metadata, managedFields };
}

/** Checks that finalizers of built-in kinds have a domain, unless they are the server's own. */
function validateFinalizers({ metadata }: Draft): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((name, index) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidField(`metadata.finalizers[${index}]`, name, detail)];
  });
}

function hasOtherAnnotations(draft: Draft, previous: KubeObject): boolean {
  return !jsonEqual(draft.metadata.annotations ?? {}, previous.metadata.annotations ?? {});
}

/** Checks whether there is an empty list, or an empty map of labels, at any depth; structures may be empty. */
function hasEmpty(value: unknown, name = ''): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => hasEmpty(item));
  if (!isMapping(value)) return false;
  const members = Object.entries(value);
  return (name === 'matchLabels' && members.length === 0) || members.some(([key, member]) => hasEmpty(member, key));
}

function keepAllBut(field: string, draft: Draft, previous: KubeObject): void {
  for (const other of new Set([...Object.keys(draft), ...Object.keys(previous)])) {
    if (other !== field && other !== 'metadata') keep(other, draft, previous);
  }
}

function keep(field: string, draft: Draft, previous: KubeObject): void {
  if (previous[field] === undefined) delete draft[field];
  else draft[field] = previous[field];
}

/** Returns the content whose changes count for the generation. */
function content({ metadata: _, status: __, ...rest }: Draft | KubeObject): Readonly<Record<string, unknown>> {
  return rest;
}
