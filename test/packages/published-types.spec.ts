import { PublishedTypes } from './published.types.js';

describe('the published types of nestjs-kopf', () => {
  let types: PublishedTypes;

  beforeAll(() => {
    types = PublishedTypes.compile('kopf');
  }, 240_000);

  it('should name only what can be imported from an entry point, or from a package that is required', () => {
    expect(types.names.length).toBeGreaterThan(200);
    expect(types.findUnnameable()).toEqual([]);
  });

  it('should notice a type that is not exported', () => {
    expect(types.findUnnameable(['PauseStatus'])).toEqual([
      'KopfOperator.pauseStatus names PauseStatus',
      'KopfOperator.pauseStatus$ names PauseStatus',
    ]);
  });

  it('should have the services that are injected, without what is behind them', () => {
    const services = ['Operator', 'Registry', 'Watcher', 'Vault', 'Peering', 'Indices', 'Admission'];
    expect(Object.fromEntries(services.map((name) => [`Kopf${name}`, types.membersOf(`Kopf${name}`)])))
      .toMatchInlineSnapshot(`
      {
        "KopfAdmission": [
          "isServing",
          "reviewing",
          "review",
          "convert",
        ],
        "KopfIndices": [
          "all",
          "names",
          "has",
          "get",
        ],
        "KopfOperator": [
          "name",
          "state",
          "since",
          "state$",
          "failure",
          "required",
          "waitingFor",
          "nextAttemptAt",
          "pauseStatus",
          "pauseStatus$",
          "objects",
          "daemons",
          "ready",
          "start",
          "pause",
          "resume",
          "drain",
          "stop",
        ],
        "KopfPeering": [
          "identity",
          "status",
          "status$",
          "paused",
          "peers",
          "touch",
        ],
        "KopfRegistry": [
          "add",
          "add",
          "describe",
          "declarations",
          "findById",
          "findByResource",
        ],
        "KopfVault": [
          "logins",
          "failure",
          "invalidate",
        ],
        "KopfWatcher": [
          "states",
          "unserved",
          "changes$",
        ],
      }
    `);
  });

  it('should have all settings by their groups', () => {
    expect(types.names).toEqual(
      expect.arrayContaining(types.membersOf('KopfSettings').map((group) => `${capitalize(group)}Settings`)),
    );
  });
});

function capitalize(name: string): string {
  return name[0].toUpperCase() + name.slice(1);
}
