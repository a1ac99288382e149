import * as surface from './index.js';

describe('embedded-kube', () => {
  it('should export what is public, and nothing else', () => {
    expect(Object.keys(surface).sort()).toEqual([
      'ClusterRecorder',
      'ClusterRecording',
      'ClusterReplay',
      'EmbeddedKube',
      'InProcessWebhooks',
      'KubeconfigTransport',
      'SIMULATION_ANNOTATIONS',
      'SeededRandom',
      'StatusError',
      'TransportProxy',
      'checkDefinition',
    ]);
  });
});
