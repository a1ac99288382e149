import { parseWebhooks } from './dev.webhooks.js';
import { isLocalCluster, matchesContext } from './local.contexts.js';

describe('isLocalCluster', () => {
  it.each([
    ['kind-dev', 'https://127.0.0.1:40123', true],
    ['k3d-dev', 'https://0.0.0.0:6550', true],
    ['minikube', 'https://192.168.49.2:8443', true],
    ['docker-desktop', 'https://kubernetes.docker.internal:6443', true],
    ['colima', 'https://[::1]:6443', true],
    ['orbstack', 'https://LOCALHOST:26443', true],
    // A name says nothing about where the cluster is, and a tunnel can lead anywhere.
    ['minikube', 'https://34.2.1.3:443', false],
    ['minikube', 'https://172.32.0.1', false],
    ['production', 'https://127.0.0.1:6443', false],
    ['my-kind-dev', 'https://localhost', false],
    ['kind-dev', 'https://127.0.0.1.example.com', false],
  ])('should decide about %s at %s', (context, server, expected) => {
    expect(isLocalCluster(context, server)).toBe(expected);
  });
});

describe('matchesContext', () => {
  it('should take names and globs', () => {
    expect(matchesContext('staging-eu', ['production', 'staging-*'])).toBe(true);
    expect(matchesContext('staging', ['staging-*'])).toBe(false);
  });
});

describe('parseWebhooks', () => {
  it.each([
    ['auto', true, { way: 'host', host: '127.0.0.1' }],
    ['auto', false, { way: 'detected' }],
    ['off', false, { way: 'off' }],
    ['ngrok', false, { way: 'ngrok', path: expect.stringMatching(/^\/[-0-9a-f]{36}$/) }],
    ['https://me.example.com/x', true, { way: 'tunnel', url: 'https://me.example.com/x', port: 9443 }],
    ['fd00::1', false, { way: 'host', host: 'fd00::1' }],
    ['my-laptop.example.com', false, { way: 'host', host: 'my-laptop.example.com' }],
  ])('should read %s', (webhooks, isEmbedded, expected) => {
    expect(parseWebhooks({ webhooks, webhooksPort: 9443 }, isEmbedded)).toEqual(expected);
  });

  it.each(['', 'http://me.example.com', 'a/b', '-x'])('should refuse %j', (webhooks) => {
    expect(() => parseWebhooks({ webhooks, webhooksPort: 9443 }, false)).toThrow('--webhooks must be auto');
  });
});
