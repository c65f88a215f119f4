//! Checks of a chip's configuration.

use crate::config::{ChipConfig, ClusterConfig, OrderKept, PlaceConfig, PlacementRule, WideConfig};
use crate::dispatch::Lists;
use crate::misfit::Misfit;
use linecard_buffers::AllocatorKind;
use linecard_program::script::PacketProgram;

fn refuse(wrong: bool, sentence: &str) -> Result<(), Misfit> {
    refuse_as(wrong, || sentence.to_owned().into())
}

fn refuse_as(wrong: bool, misfit: impl FnOnce() -> Misfit) -> Result<(), Misfit> {
    if wrong { Err(misfit()) } else { Ok(()) }
}

/// Returns an error if no chip can be built from the configuration.
pub(super) fn check(config: &ChipConfig, programs: usize) -> Result<(), Misfit> {
    refuse(config.clusters.is_empty(), "a chip needs a cluster of engines")?;
    refuse(config.clusters.len() > 60_000, "a chip has at most 60,000 clusters")?;
    refuse(config.inboxes.len() > 60_000, "a chip has at most 60,000 inboxes and rings")?;
    refuse(config.places.len() > 60_000, "a chip has at most 60,000 memories and units")?;
    refuse(config.ports.len() > 60_000, "a chip has at most 60,000 ports")?;
    refuse(config.ports.iter().all(|p| p.receive.is_none()), "a chip needs a port that receives packets")?;
    refuse(config.ports.iter().all(|p| p.transmit.is_none()), "a chip needs a port that sends packets")?;
    for cluster in &config.clusters {
        let name = &cluster.name;
        refuse(
            cluster.engines == 0 || cluster.threads == 0,
            &format!("{name} needs at least one engine and one thread"),
        )?;
        refuse(
            cluster.posted == 0,
            &format!("{name} allows no outstanding posted operation per thread; expected at least 1"),
        )?;
        refuse(
            cluster.takes.is_empty() == cluster.block_cells.is_none(),
            &format!("{name} must either take packets from inboxes or move blocks to ports"),
        )?;
        refuse(cluster.program >= programs, &format!("{name} has no program"))?;
    }
    for (number, inbox) in config.inboxes.iter().enumerate() {
        let taken = config
            .clusters
            .iter()
            .any(|cluster| cluster.takes.contains(&number) && cluster.all_threads() > 0);
        refuse(!taken, &format!("no enabled thread takes packets from the inbox {}", inbox.name))?;
        refuse(
            inbox.capacity == Some(0),
            &format!("the capacity of the inbox {} is 0 packets; expected at least 1", inbox.name),
        )?;
        refuse(
            inbox.window == Some(0),
            &format!("the window of the inbox {} is 0 packets; expected at least 1", inbox.name),
        )?;
    }
    for port in config.ports.iter().filter_map(|port| port.receive.as_ref()) {
        let inbox = &config.inboxes[port.inbox];
        refuse(
            inbox.capacity.is_some() || inbox.window.is_some(),
            &format!(
                "packets from ports wait in the receive buffer, so the inbox {} must have neither a packet limit \
                 nor a window",
                inbox.name
            ),
        )?;
    }
    for place in &config.places {
        check_place(place, &config.places)?;
    }
    let by_ports = config.packets.as_ref().is_some_and(|packets| packets.sent_by_ports);
    for port in &config.ports {
        let Some(t) = &port.transmit else { continue };
        let name = &port.name;
        t.scheduler.check().map_err(|message| format!("the scheduler of {name}: {message}"))?;
        refuse(
            t.queue_packets == 0,
            &format!("the capacity of the output queues of {name} is 0 packets; expected at least 1"),
        )?;
        refuse(
            by_ports && t.buffer_cells == 0,
            &format!("{name}: the buffer between the packet memory and the wire has no cells"),
        )?;
    }
    // A packet gets its cells before a thread has it, so the thread's memory must be known then.
    if let Some(packets) = &config.packets {
        for port in config.ports.iter().filter_map(|port| port.receive.as_ref()) {
            let inbox = &config.inboxes[port.inbox];
            let takers = config.targets.iter().zip(&config.clusters);
            let takers = takers.filter(|(_, cluster)| cluster.takes.contains(&port.inbox));
            let mut places = takers.filter_map(|(row, _)| row[packets.role].as_ref()).map(|t| t.place);
            let first = places.next();
            refuse(
                inbox.rule.lists() == Lists::Single && places.any(|place| Some(place) != first),
                &format!(
                    "the inbox {} passes packets to any free thread, but each cluster has a separate packet memory; \
                     choose a dispatch rule that selects a cluster",
                    inbox.name
                ),
            )?;
        }
    }
    Ok(())
}

/// Checks ports that send from a transmit buffer, cell by cell.
pub(super) fn check_transmit(config: &ChipConfig, programs: &[Box<dyn PacketProgram>]) -> Result<(), Misfit> {
    let Some(transmit) = config.transmit else { return Ok(()) };
    let ports = config.ports.iter().filter(|port| port.transmit.is_some()).count();
    let cells = transmit.cells;
    let few =
        format!("the transmit buffer has {cells} cells for {ports} ports; expected more cells than ports");
    refuse(cells as usize <= ports, &few)?;
    let fills = |cluster: &ClusterConfig| programs[cluster.program].fills_transmit_buffer();
    refuse_as(!config.clusters.iter().all(fills), || Misfit::NobodyFillsTransmitBuffer)?;
    let Some(marks) = transmit.watermarks else { return Ok(()) };
    refuse(marks.low_bytes > marks.high_bytes, "the low watermark is above the high watermark")?;
    let one_list = config.inboxes.len() == 1 && config.inboxes[0].rule.lists() == Lists::Single;
    refuse_as(!one_list, || Misfit::SeveralListsOfFreeThreads)
}

/// Checks threads that move blocks to transmit slots.
pub(super) fn check_blocks(config: &ChipConfig, programs: &[Box<dyn PacketProgram>]) -> Result<(), Misfit> {
    let senders = config.ports.iter().filter_map(|port| port.transmit.as_ref().map(|t| (&port.name, t)));
    let threads = config.clusters.iter().filter(|cluster| cluster.block_cells.is_some());
    let (sends, slots) = (threads.clone().count() > 0, senders.clone().any(|(_, t)| t.slots.is_some()));
    refuse(
        sends && config.transmit.is_some(),
        "ports must send either from a transmit buffer or from transmit slots",
    )?;
    refuse_as(sends && config.order.kept != OrderKept::Nothing, || Misfit::OrderBesideBlocks)?;
    for (name, transmit) in senders {
        refuse(
            transmit.slots.is_some() != sends,
            &format!(
                "{name}: sending ports must have transmit slots if a cluster moves blocks, and none otherwise"
            ),
        )?;
        let wrong = transmit.slots.is_some_and(|slots| !(1..=128).contains(&slots.slots));
        refuse(wrong, &format!("{name}: expected 1 to 128 transmit slots"))?;
    }
    for cluster in &config.clusters {
        let name = &cluster.name;
        refuse(cluster.block_cells == Some(0), &format!("{name}: expected at least one cell per block"))?;
        refuse_as(programs[cluster.program].sends_blocks() != sends, || {
            Misfit::BlocksWithoutMovers(name.clone())
        })?;
    }
    let Some(packets) = &config.packets else {
        return refuse(slots, "threads move blocks from a packet memory, but the chip has no packet memory");
    };
    refuse(
        packets.placed_by_programs != sends,
        "programs must allocate space in the packet memory if a cluster moves blocks, and only then",
    )?;
    let per_queue =
        matches!(&packets.placement, PlacementRule::Allocator(a) if a.kind == AllocatorKind::PerQueue);
    refuse_as(per_queue != packets.wide.is_some(), || Misfit::SpaceByQueueWithoutCaches)?;
    let (Some(wide), PlacementRule::Allocator(allocator)) = (packets.wide, &packets.placement) else {
        return Ok(());
    };
    let WideConfig { block_cells, blocks, .. } = wide;
    refuse(
        !(1..=32).contains(&block_cells),
        &format!("a wide block has {block_cells} cells; expected 1 to 32"),
    )?;
    refuse(blocks == 0, "each queue cache needs a capacity of at least one block")?;
    for cells in threads.filter_map(|cluster| cluster.block_cells) {
        // An output block need not begin at the start of a wide block, and is read only if the cache holds
        // all of it.
        let touched = if cells == 1 { 1 } else { (u32::from(cells) - 2) / block_cells + 2 };
        refuse(
            touched > blocks,
            &format!(
                "an output block of {cells} cells can span {touched} wide blocks of {block_cells} cells, but each \
                 queue cache holds only {blocks} wide blocks"
            ),
        )?;
    }
    let ring = allocator.cells / allocator.queues.max(1);
    refuse(
        !ring.is_multiple_of(block_cells),
        &format!(
            "each of {} queues has {ring} cells; expected a multiple of the block size of {block_cells} cells",
            allocator.queues
        ),
    )
}

fn check_place(place: &PlaceConfig, places: &[PlaceConfig]) -> Result<(), Misfit> {
    let name = &place.name;
    if let Some(wrong) = place.kind.numbers().wrong() {
        return Err(format!("{name} {wrong}").into());
    }
    // A chain of memories behind memories must end before it passes every memory.
    let mut behind = place.kind.numbers().behind();
    for _ in places {
        let Some(number) = behind else { return Ok(()) };
        let Some(next) = places.get(number) else { break };
        behind = next.kind.numbers().behind();
    }
    refuse(behind.is_some(), &format!("{name}: the memory hierarchy below {name} contains a cycle"))
}
