// UDP datagrams of 512 bytes from one host to another over two point-to-point links and a router that forwards them.
// `ns3 PACKETS` sends that many and prints how many have arrived.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cstdlib>
#include <iostream>

using namespace ns3;

int main(int argc, char* argv[]) {
    if (argc != 2) {
        std::cerr << "expected: ns3 PACKETS\n";
        return 2;
    }
    const uint32_t packets = std::atoi(argv[1]);
    NodeContainer nodes;
    nodes.Create(3);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(link.Install(nodes.Get(0), nodes.Get(1)));
    addresses.NewNetwork();
    const auto far = addresses.Assign(link.Install(nodes.Get(1), nodes.Get(2)));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    const uint16_t port = 9;
    UdpServerHelper server(port);
    const auto receiver = server.Install(nodes.Get(2));
    UdpClientHelper client(far.GetAddress(1), port);
    client.SetAttribute("MaxPackets", UintegerValue(packets));
    client.SetAttribute("Interval", TimeValue(MicroSeconds(10)));
    client.SetAttribute("PacketSize", UintegerValue(512));
    client.Install(nodes.Get(0)).Start(Seconds(0));
    Simulator::Run();
    std::cout << receiver.Get(0)->GetObject<UdpServer>()->GetReceived() << "\n";
    Simulator::Destroy();
}
