import type { KubeObject } from '../../libs/kopf/src/objects/kube-object.js';
import { detectReason } from '../../libs/kopf/src/handling/reason-detection.js';
import { readVectors } from './vectors.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

describe('reasons', () => {
  it.each(readVectors().causes)(
    'should be $reason for type=$type deleting=$deletionTimestamp finalizer=$finalizer old=$hasOld diff=$hasDiff initial=$initial',
    (vector) => {
      const object: KubeObject = {
        metadata: {
          ...(vector.deletionTimestamp && { deletionTimestamp: '2020-12-31T23:59:59Z' }),
          finalizers: vector.finalizer ? [FINALIZER] : [],
        },
      };
      const detected = detectReason({
        event: { type: vector.type, object },
        finalizer: FINALIZER,
        isHandled: vector.hasOld,
        diff: vector.hasDiff ? [['add', ['spec', 'field'], null, 'value']] : [],
        initial: vector.initial,
      });
      expect(detected).toEqual({ reason: vector.reason, initial: vector.initialAfter });
    },
  );
});
