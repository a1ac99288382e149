import type { Clock } from '../../common/clock.js';
import { begin, KOPF_CHANNELS, type OperatorIdentity, type RequestMessage } from '../../diagnostics/channels.js';
import type { KubeRequest, KubeResponse } from '../http/kube.transport.js';
import type { VaultItem } from '../vault/vault.item.js';

/** Sends a request, and tells of it those who follow what the operator does. */
export async function sendFollowed(
  { host, transport }: VaultItem,
  request: KubeRequest & { readonly headers: Record<string, string> },
  operator: OperatorIdentity,
  clock: Clock,
): Promise<KubeResponse> {
  const { method, path, headers, streaming = false } = request;
  const message: RequestMessage = { operator, method, path, host, headers, streaming, startedAt: clock.now() };
  const begun = clock.monotonic();
  return begin(KOPF_CHANNELS.requestStart, message, async () => {
    try {
      const response = await transport.request(request);
      message.status = response.status;
      return response;
    } catch (error) {
      message.error = error;
      throw error;
    } finally {
      message.duration = (clock.monotonic() - begun) / 1000;
      KOPF_CHANNELS.requestEnd.publish(message);
    }
  });
}
