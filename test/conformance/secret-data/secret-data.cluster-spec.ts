import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeSecretData } from './secret-data.suite.js';

describeSecretData('the data of Secrets on a real control plane', () => startTestCluster({ controllers: false }));
