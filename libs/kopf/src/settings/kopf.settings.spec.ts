import { checkSettings, createSettings } from '../operator/settings.factory.js';
import { AnnotationsDiffBaseStorage } from '../state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import { EVERYTHING } from '../resources/resource-criteria.js';
import type { KopfModuleOptions } from '../kopf.options.js';

const violationsOf = (options: object): readonly string[] => {
  try {
    createSettings(options as KopfModuleOptions);
    return [];
  } catch (error) {
    return (error as { violations: readonly string[] }).violations;
  }
};

describe('The settings', () => {
  it("should have Kopf's defaults", () => {
    const settings = createSettings({});
    const { posting, queueing, execution, networking, persistence, watching } = settings;
    expect(posting).toMatchObject({
      enabled: true,
      loggers: false,
      reportingComponent: 'kopf',
      reportingInstance: 'dev',
      defaultBackoffs: [1, 1, 2, 3, 5, 8, 13, 21],
      loggingBackoffs: [1, 1, 2, 3, 5],
      workerLimit: null,
      idleTimeout: 1,
    });
    expect(queueing.errorDelays).toEqual([1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]);
    expect(queueing).toMatchObject({ workerLimit: null, exitTimeout: 2 });
    expect(execution.defaultBackoff).toBe(60);
    expect(networking).toMatchObject({ requestTimeout: 300, errorBackoffs: [1, 1, 2, 3, 5, 8, 13, 21] });
    expect(watching).toMatchObject({ reconnectBackoff: 0.1, inactivityTimeout: 70 });
    expect(watching).toMatchObject({ chunkSize: null, initialStreaming: false });
    expect(watching).toMatchObject({ labelSelectors: [], fieldSelectors: [], shardSelectors: [] });
    expect(persistence).toMatchObject({ finalizer: 'kopf.zalando.org/KopfFinalizerMarker', consistencyTimeout: 5 });
    expect(persistence.progressStorage).toBeInstanceOf(SmartProgressStorage);
    expect(persistence.diffbaseStorage).toBeInstanceOf(AnnotationsDiffBaseStorage);
  });

  it('should have lists checked that were changed in place, as startup handlers may do', () => {
    const settings = createSettings({});
    expect(() => checkSettings(settings)).not.toThrow();
    (settings.queueing.errorDelays as number[]).push(-1);
    expect(() => checkSettings(settings)).toThrow('each value in queueing.errorDelays must not be less than 0');
    expect(createSettings({}).queueing.errorDelays).not.toContain(-1);
  });

  it('should take what is given, and leave the options as they are', () => {
    const options = Object.freeze({ queueing: Object.freeze({ workerLimit: 5, exitTimeout: undefined }) });
    const settings = createSettings(options);
    expect(settings.queueing).toMatchObject({ workerLimit: 5, exitTimeout: 2 });
    expect(createSettings({}).queueing.workerLimit).toBeNull();
  });

  it.each<[object, string]>([
    [{ queueing: { workerLimit: 0 } }, 'queueing.workerLimit must not be less than 1'],
    [{ queueing: { workerLimit: 'many' } }, 'queueing.workerLimit'],
    [{ queueing: { errorDelays: [1, -1] } }, 'each value in queueing.errorDelays must not be less than 0'],
    [{ queueing: { errorDelays: 5 } }, 'errorDelays must be an array'],
    [{ queueing: { nonsense: 1 } }, 'queueing.nonsense does not exist'],
    [{ queueing: null }, 'queueing must be an object'],
    [{ posting: { level: 'loud' } }, 'posting.level must be one of the following values: debug, log, warn, error'],
    [{ posting: { workerLimit: 0 } }, 'posting.workerLimit must not be less than 1'],
    [{ posting: { workerLimit: 1.5 } }, 'posting.workerLimit must be an integer number'],
    [{ posting: { idleTimeout: -1 } }, 'posting.idleTimeout must not be less than 0'],
    [
      { posting: { defaultBackoffs: [1, -1] } },
      'posting.defaultBackoffs must be a number of seconds, or a list of them',
    ],
    [
      { posting: { loggingBackoffs: 'long' } },
      'posting.loggingBackoffs must be a number of seconds, or a list of them',
    ],
    [{ posting: { loggingBackoffs: null } }, 'posting.loggingBackoffs must be a number of seconds, or a list of them'],
    [{ watching: { chunkSize: -1 } }, 'watching.chunkSize must not be less than 0'],
    [{ watching: { initialStreaming: 'auto' } }, 'watching.initialStreaming must be a boolean value'],
    [
      { watching: { labelSelectors: 'app=web' } },
      'watching.labelSelectors must have a selector for each resource: it is',
    ],
    [
      { watching: { fieldSelectors: { pods: 5 } } },
      'watching.fieldSelectors must have a selector for each resource: the',
    ],
    [
      { watching: { shardSelectors: { '': 'x' } } },
      'watching.shardSelectors must have a selector for each resource: A r',
    ],
    [{ persistence: { finalizer: '' } }, 'persistence.finalizer should not be empty'],
    [{ persistence: { lostEssence: 'forget' } }, 'persistence.lostEssence'],
    [{ deletion: { permanentErrors: 'x' } }, 'deletion.permanentErrors'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ namespaces: [''] }, 'namespaces must be a pattern, or a non-empty list of patterns'],
    [{ namespaces: 5 }, 'namespaces must be'],
    [
      { credentials: null },
      'credentials must be the path or the text of a kubeconfig, a KubeConfig, or an object with',
    ],
    [{ credentials: { kubeconfig: '/etc/config' } }, 'or an object with a server'],
    [{ lifecycle: 'asap' }, 'lifecycle must be a function'],
    [{ memo: 5 }, 'memo must be an object'],
    [{ clock: {} }, 'clock must be a Clock'],
    [{ random: {} }, 'random must be a Random'],
    [{ nonsense: 1 }, 'nonsense does not exist'],
    [{ toString: 1 }, 'toString does not exist'],
  ])('should name what is wrong: %j', (options, expected) => {
    expect(violationsOf(options)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    { namespaces: 'a' },
    { namespaces: /a/ },
    { namespaces: ['a', /b/] },
    { enabled: false, memo: new Map(), lifecycle: () => [] },
    { networking: { requestTimeout: null } },
    { unknown: undefined },
    { posting: { defaultBackoffs: 0.5, loggingBackoffs: [], workerLimit: 1, idleTimeout: 0 } },
    { watching: { chunkSize: 0, labelSelectors: { pods: '' }, shardSelectors: new Map([[EVERYTHING, 'x']]) } },
  ])('should find nothing wrong with %j', (options) => {
    expect(violationsOf(options)).toEqual([]);
  });

  it('should name everything that is wrong in one message', () => {
    const options = { nonsense: 1, queueing: { workerLimit: 0, exitTimeout: -1 }, posting: { enabled: 1 } };
    expect(violationsOf(options)).toHaveLength(4);
    expect(() => createSettings(options as never)).toThrow(/^The options of KopfModule are wrong: .*; .*; .*; .*\.$/);
  });
});
