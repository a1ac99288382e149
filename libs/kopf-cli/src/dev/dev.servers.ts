import {
  type AdmissionReviewer,
  type AdmissionServer,
  type AdmissionServerContext,
  type WebhookClientConfig,
  WebhookNgrokTunnel,
  WebhookServer,
} from 'nestjs-kopf/webhooks';
import { detectLocalHost } from 'nestjs-kopf/tooling';
import { untilAborted } from 'kube-common';
import type { DevWebhooks } from './dev.options.js';

type Configs = AsyncIterable<WebhookClientConfig>;

/**
 * Makes the server that brings reviews to an operator which is developed.
 *
 * @param onServing is called when reviews can come, before the API server learns where to.
 */
export function createDevServer(webhooks: DevWebhooks, onServing: () => void): AdmissionServer {
  return {
    async *serve(review, context) {
      for await (const config of serve(webhooks, review, context)) {
        onServing();
        yield config;
      }
    },
  };
}

function serve(webhooks: DevWebhooks, review: AdmissionReviewer, context: AdmissionServerContext): Configs {
  switch (webhooks.way) {
    case 'off':
      return serveNothing(context.signal);
    case 'host':
      return new WebhookServer({ addr: listeningAddress(webhooks.host), host: webhooks.host }).serve(review, context);
    case 'detected':
      return serveDetected(review, context);
    case 'ngrok':
      return new WebhookNgrokTunnel({ path: webhooks.path }).serve(review, context);
    case 'tunnel':
      return serveTunnel(webhooks, review, context);
  }
}

/** An address that is only for this machine is not listened at for others. */
function listeningAddress(host: string): string | undefined {
  return host === '127.0.0.1' || host === 'localhost' ? '127.0.0.1' : undefined;
}

/** Never says where reviews are served, so that no configuration is written. */
function serveNothing(signal: AbortSignal): Configs {
  const next = async (): Promise<IteratorResult<WebhookClientConfig>> => {
    await untilAborted(signal);
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function* serveDetected(review: AdmissionReviewer, context: AdmissionServerContext): Configs {
  const host = await detectLocalHost(context.cluster);
  if (host) {
    yield* new WebhookServer({ host }).serve(review, context);
    return;
  }
  context.logger.warn(
    'The handlers of admission are not called, as it is not known how the cluster reaches this machine: name an address of it, or a tunnel, ' +
      'by --webhooks.',
  );
  yield* serveNothing(context.signal);
}

/** The tunnel has its own certificates, and the way to it does not leave the machine. */
async function* serveTunnel(
  { url, port }: Extract<DevWebhooks, { way: 'tunnel' }>,
  review: AdmissionReviewer,
  context: AdmissionServerContext,
): Configs {
  const server = new WebhookServer({ addr: '127.0.0.1', port, insecure: true });
  for await (const _ of server.serve(review, context)) yield { url };
}
