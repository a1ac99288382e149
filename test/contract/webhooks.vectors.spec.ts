import { createWebhookClientConfig, createWebhookName } from '../../libs/kopf/src/admission/configuration/webhooks.js';
import { readVectors } from './vectors.js';

const { webhookNames, webhookUrls } = readVectors();

describe('webhooks', () => {
  it.each(webhookNames)('should be called as by Kopf: $id with $suffix', ({ id, suffix, name }) => {
    expect(createWebhookName(id, suffix)).toBe(name);
  });

  it.each(webhookUrls)('should have the addresses of Kopf: $id at $config', ({ id, config, result }) => {
    expect(createWebhookClientConfig(config, id)).toEqual(result);
  });
});
