import { BuiltinStrategy } from '../../kinds/builtin.strategy.js';
import type { ServedResource } from '../../resources/served.resource.js';
import type { TypedCodec } from '../../typed/typed.codec.js';

/** Returns the kind of what requests for the subresource `scale` carry. It is stored nowhere. */
export function scaleKind(codec: TypedCodec): ServedResource {
  const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const resource = {
    ...kind,
    plural: 'scales',
    singular: 'scale',
    namespaced: true,
    verbs: [],
    shortNames: [],
    categories: [],
    subresources: [],
  };
  return {
    resource,
    apiVersion: 'autoscaling/v1',
    storageKey: 'scales.autoscaling',
    custom: false,
    listKind: 'ScaleList',
    strategy: new BuiltinStrategy({}, true, codec, codec.schema.ofKind(kind)),
    isReadAsStored: false,
    fromStorage: (object) => object,
    toStorage: (object) => object,
  };
}
