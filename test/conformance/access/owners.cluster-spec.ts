import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeOwners, OWNER_PLUGIN } from './owners.suite.js';

describeOwners('owners of objects on a real control plane', () =>
  startTestCluster({ controllers: false, admissionPlugins: [OWNER_PLUGIN] }),
);
