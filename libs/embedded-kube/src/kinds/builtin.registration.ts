// kinds: the built-in kinds: which there are, their defaults, validation and life cycle.
// A kind is data and a few functions (BuiltinTraits); the registration makes served resources of them.
// May import: common, errors, resources, typed, cel.

import { isStatusAlone } from '../apply/reset.fields.js';
import type { ApiResource } from '../resources/api-resource.js';
import type { KubeObject } from '../resources/kube-object.js';
import { BuiltinStrategy, type BuiltinTraits } from './builtin.strategy.js';
import { DISABLED_FIELDS } from './disabled.fields.js';
import { TypedDefaulter } from './typed.defaulter.js';
import { kindTypeName } from '../typed/typed.schema.js';
import { BUILTIN_TRAITS } from './builtin-traits.data.js';
import { toFirstAutoscaler, toSecondAutoscaler } from './autoscaler.conversion.js';
import { NEW_EVENT_TRAITS, toCoreEvent, toNewEvent } from './event.traits.js';
import type { ScalePaths, ServedResource } from '../resources/served.resource.js';
import type { TypedCodec } from '../typed/typed.codec.js';
import { KIND_WARNINGS } from './kind.warnings.js';
import { BUILTIN_RESOURCES } from './builtin-resources.data.js';

/** The group whose events are those of the core group. */
const EVENTS_GROUP = 'events.k8s.io';
/** The resource whose two versions differ in more than their names. */
const AUTOSCALERS = 'horizontalpodautoscalers.autoscaling';
const REPLICAS: ScalePaths = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' };

const DEPRECATIONS: Readonly<Record<string, string>> = {
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
};

/** The resources whose objects are also created by PUT. */
const CREATED_BY_UPDATE = new Set([
  'endpoints',
  'events',
  'limitranges',
  'services',
  'leases.coordination.k8s.io',
  'leasecandidates.coordination.k8s.io',
  'runtimeclasses.node.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
]);

/**
 * Makes the built-in resources, as any number of servers can serve them.
 *
 * @param traits what is particular to further resources, by `plural.group`
 */
export function createBuiltins(
  codec: TypedCodec,
  traits: Readonly<Record<string, BuiltinTraits>>,
): readonly ServedResource[] {
  const storageVersions = new Map<string, string>();
  const defaulter = new TypedDefaulter(codec.schema);
  const disabled = new TypedDefaulter(codec.schema, {}, DISABLED_FIELDS);
  return BUILTIN_RESOURCES.map((resource) => {
    const key = storageKeyOf(resource);
    if (!storageVersions.has(key)) storageVersions.set(key, apiVersionOf(resource));
    const isNewEvent = resource.group === EVENTS_GROUP;
    const own = isNewEvent
      ? NEW_EVENT_TRAITS
      : { warnings: KIND_WARNINGS[key], keepsMetadata: isStatusAlone(key), ...(traits[key] ?? BUILTIN_TRAITS[key]) };
    return builtinResource(resource, key, storageVersions.get(key)!, own, codec, { defaulter, disabled });
  });
}

const BUILTIN_GROUPS = new Set(BUILTIN_RESOURCES.map(({ group }) => group));

/** Whether a group belongs to the server, not to a CRD. */
export function isBuiltinGroup(group: string): boolean {
  return BUILTIN_GROUPS.has(group);
}

function builtinResource(
  resource: ApiResource,
  storageKey: string,
  storageVersion: string,
  traits: BuiltinTraits,
  codec: TypedCodec,
  { defaulter, disabled }: Readonly<Record<'defaulter' | 'disabled', TypedDefaulter>>,
): ServedResource {
  const apiVersion = apiVersionOf(resource);
  const isNewEvent = resource.group === EVENTS_GROUP;
  const coreEvent = codec.schema.find('core.v1.Event')!;
  const hasStatus = resource.subresources.some(({ name }) => name === 'status');
  const convert = (object: KubeObject, version: string): KubeObject => {
    if (object.apiVersion === version) return object;
    const isAutoscaler = storageKey === AUTOSCALERS;
    return isAutoscaler ? autoscaler(object, version, codec) : { ...object, apiVersion: version };
  };
  return {
    resource,
    apiVersion,
    storageKey,
    storedAs: { ...(isNewEvent && { group: '' }), version: storageVersion.split('/').at(-1)! },
    ...(CREATED_BY_UPDATE.has(storageKey) && { createdByUpdate: true }),
    ...(Object.hasOwn(DEPRECATIONS, storageKey) && { deprecation: DEPRECATIONS[storageKey] }),
    custom: false,
    listKind: `${resource.kind}List`,
    strategy: new BuiltinStrategy(traits, hasStatus, codec, codec.schema.ofKind(resource), {
      setDefaults: (draft) => defaulter.setDefaults(draft as Record<string, unknown>, kindTypeName(resource)),
      dropDisabled: (draft) => disabled.setDefaults(draft as Record<string, unknown>, kindTypeName(resource)),
    }),
    ...(resource.subresources.some(({ name }) => name === 'scale') && { scale: REPLICAS }),
    isReadAsStored: !isNewEvent && storageKey !== AUTOSCALERS,
    fromStorage: (object) => (isNewEvent ? newEvent(object, codec) : convert(object, apiVersion)),
    toStorage: (object) => {
      if (!isNewEvent) return convert(object, storageVersion);
      const { kind, metadata, ...content } = toCoreEvent(object);
      return { kind, apiVersion: 'v1', ...codec.encoder.encode(content, coreEvent), metadata };
    },
  };
}

function newEvent(object: KubeObject, { decoder, encoder, schema }: TypedCodec): KubeObject {
  const struct = schema.find('events.v1.Event')!;
  const { kind, apiVersion: _, metadata, ...content } = toNewEvent(object);
  const event = encoder.encode(decoder.decode(content, struct, '', []), struct);
  return { kind, apiVersion: `${EVENTS_GROUP}/v1`, ...event, metadata };
}

function autoscaler(object: KubeObject, apiVersion: string, { decoder, encoder, schema }: TypedCodec): KubeObject {
  const isFirst = apiVersion === 'autoscaling/v1';
  const converted = isFirst ? toFirstAutoscaler(object) : toSecondAutoscaler(object);
  const struct = schema.find(`autoscaling.${isFirst ? 'v1' : 'v2'}.${object.kind}`)!;
  const { kind, apiVersion: _, metadata, ...content } = converted;
  return { kind, apiVersion, ...encoder.encode(decoder.decode(content, struct, '', []), struct), metadata };
}

/** Returns the collection of a resource's objects; events of both groups are the same objects. */
function storageKeyOf({ group, plural }: { group: string; plural: string }): string {
  return group && group !== EVENTS_GROUP ? `${plural}.${group}` : plural;
}

function apiVersionOf({ group, version }: ApiResource): string {
  return group ? `${group}/${version}` : version;
}
