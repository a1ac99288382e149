import { makeWebhookClientConfig, makeWebhookName } from '../../libs/kopf/src/admission/configuration/webhooks.js';
import { readVectors } from './vectors.js';

const { webhookNames, webhookUrls } = readVectors();

describe('webhooks', () => {
  it.each(webhookNames)('should be called as by Kopf: $id with $suffix', ({ id, suffix, name }) => {
    expect(makeWebhookName(id, suffix)).toBe(name);
  });

  it.each(webhookUrls)('should have the addresses of Kopf: $id at $config', ({ id, config, result }) => {
    expect(makeWebhookClientConfig(config, id)).toEqual(result);
  });
});
