import { importEmbeddedKube } from './test.server.js';

describe('the API server of tests', () => {
  it.each(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])(
    'should be asked for if it is not installed: %s',
    async (code) => {
      const missing = Object.assign(new Error('no such module'), { code });
      await expect(importEmbeddedKube(() => Promise.reject(missing))).rejects.toThrow(
        'KopfTest needs an API server: install the package embedded-kube (npm install --save-dev embedded-kube)',
      );
    },
  );

  it('should be told of if it is there but cannot be loaded', async () => {
    await expect(importEmbeddedKube(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
