import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeBinaryData } from './binary-data.suite.js';

describeBinaryData('binary data on a real control plane', () => startTestCluster({ controllers: false }));
