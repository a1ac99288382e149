import { describeDepartures } from './object-selection.suite.js';
import { describeSelection } from './resource-selection.suite.js';
import { startTestCluster } from '../../support/cluster.access.js';

describeSelection('the selection of resources and namespaces on a real control plane', startTestCluster);
describeDepartures('the selection of objects on a real control plane', startTestCluster);
