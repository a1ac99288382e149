import type { Invocation } from '../../contexts/invocation.js';
import type { Outcome } from '../../execution/outcome.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Handler } from '../../registry/handler.js';

/** Observes each call of a handler of an operator under test. */
export interface CallObserver {
  /** Whether a handler was called for an object so often that no test waits for a single call. */
  isRoutine(handler: Handler, uid: string | undefined): boolean;
  begin(
    handler: Handler,
    invocation: Invocation,
    cause?: { readonly body?: KubeObject; readonly reason?: string },
  ): void;
  end(invocation: Invocation, outcome: Outcome): void;
}
