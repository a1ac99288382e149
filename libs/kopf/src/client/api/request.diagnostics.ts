import type { Clock, KubeRequest, KubeResponse } from 'kube-common';
import { begin, KOPF_CHANNELS, type OperatorIdentity, type RequestMessage } from '../../diagnostics/channels.js';
import type { VaultItem } from '../vault/vault.item.js';

/** Sends a request, and publishes its start and its end on the diagnostic channels. */
export function sendFollowed(
  { host, transport }: VaultItem,
  request: KubeRequest & { readonly headers: Record<string, string> },
  operator: OperatorIdentity,
  clock: Clock,
): Promise<KubeResponse> {
  const { method, path, headers, streaming = false } = request;
  const message: RequestMessage = { operator, method, path, host, headers, streaming, startedAt: clock.now() };
  const begun = clock.monotonic();
  const conclude = (): void => {
    message.duration = (clock.monotonic() - begun) / 1000;
    KOPF_CHANNELS.requestEnd.publish(message);
  };
  // Not an async function, as its additional promise would be a measurable part of a request's cost.
  return begin(KOPF_CHANNELS.requestStart, message, () =>
    transport.request(request).then(
      (response) => {
        message.status = response.status;
        conclude();
        return response;
      },
      (error: unknown) => {
        message.error = error;
        conclude();
        throw error;
      },
    ),
  );
}
