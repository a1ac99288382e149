import { startTestCluster } from '../../support/cluster.access.js';
import { describeBinaryData } from './binary-data.suite.js';

describeBinaryData('binary data on a real control plane', () => startTestCluster({ controllers: false }));
