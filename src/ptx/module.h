// The abstract syntax of a PTX module, after parsing: names are resolved, scopes are flattened, every instruction
// points at the row of ptx_inst.def it matched. Terms are those of the PTX ISA manual.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tollgate::ptx {

struct InstForm; // inst_table.h: one row of ptx_inst.def

// Fundamental types (PTX ISA 5.2) and the packed and alternate formats that instructions name.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  F32x2,
  U16x2,
  S16x2,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
};
unsigned bit_width(Type type);         // Pred is 1
bool is_float(Type type);              // F16 .. F64 and their packed forms
bool is_signed(Type type);             // S8 .. S64, S16x2
std::string_view to_string(Type type); // "u32", without the dot

enum class Space : uint8_t { Generic, Reg, Const, Global, Local, Param, Shared };
std::string_view to_string(Space space);

enum class Rounding : uint8_t { None, RN, RZ, RM, RP, RNA, RS, RNI, RZI, RMI, RPI };
enum class CmpOp : uint8_t { None, EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
enum class Semantics : uint8_t { None, Weak, Volatile, Relaxed, Acquire, Release, AcqRel, SC, Mmio };
enum class Scope : uint8_t { None, Cta, Cluster, Gpu, Sys };
// The operation of atom, red, redux, bar.red, vote and of the boolean tail of setp/set.
enum class Op : uint8_t {
  None,
  Add,
  Inc,
  Dec,
  Min,
  Max,
  Exch,
  Cas,
  And,
  Or,
  Xor,
  Popc,
  All,
  Any,
  Uni,
  Ballot,
};
// Multiplication part (mul, mad), and the parts of other opcodes that pick one variant.
enum class Mode : uint8_t {
  None,
  Lo,
  Hi,
  Wide, // mul, mad, mul24
  Left,
  Right, // shf
  Up,
  Down,
  Bfly,
  Idx, // shfl
  F4e,
  B4e,
  Rc8,
  Ecl,
  Ecr,
  Rc16, // prmt
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal, // testp
  Sync,
  Arrive,
  Red,      // bar, barrier: the kind of operation
  WarpSync, // bar.warp.sync
  Init,
  Inval,
  ExpectTx,
  CompleteTx,
  ArriveDrop,
  ArriveExpectTx,
  ArriveDropExpectTx,
  TestWait,
  TryWait,
  PendingCount, // mbarrier
  Commit,
  WaitGroup,
  WaitAll,
  MbarrierArrive, // cp.async.*
};

// The modifiers of one instruction, decoded. A slot that the instruction does not have keeps its default.
// `types` holds the type suffixes in the order written: cvt.rn.f32.s64 has {F32, S64}.
struct Modifiers {
  std::array<Type, 4> types{};
  Space space = Space::Generic;
  Space space2 = Space::Generic; // cp.async source, cvta
  bool to = false;               // cvta.to
  Rounding rounding = Rounding::None;
  bool ftz = false, noftz = false, sat = false, satfinite = false, relu = false, approx = false, full = false,
       nan = false, xorsign_abs = false, cc = false, wrap = false, clamp = false, shiftamt = false;
  CmpOp cmp = CmpOp::None;
  Op op = Op::None; // see Op
  Mode mode = Mode::None;
  Semantics sem = Semantics::None;
  Scope scope = Scope::None;
  uint8_t vec = 1; // 1, 2, 4, 8
  bool sync = false, aligned = false, uni = false;
  bool nc = false;                                          // ld.global.nc
  bool parity = false, no_complete = false, no_inc = false; // mbarrier
  bool proxy = false;                                       // fence.proxy.*
  bool cluster_space = false;       // .shared::cluster was written (as the space, or as the destination of a copy)
  bool cluster_space2 = false;      // the same for space2
  bool hi_lo_pair = false;          // dp2a: .hi chosen (false: .lo)
  std::vector<std::string> ignored; // hints without effect here: cache operators, .L2::128B, ...
};

// Special registers (PTX ISA 10). X, Y, Z variants are separate entries.
enum class SpecialReg : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize,
  ReservedSmemOffsetBegin,
  ReservedSmemOffsetEnd,
  ReservedSmemOffsetCap,
  Envreg0,
  Envreg1,
  Envreg2,
  Envreg3, // further %envreg<n> read as 0: Envreg0 + 4
  EnvregOther,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  CurrentGraphExec,
  Pm0,
  ReservedSmemOffset0,
  ReservedSmemOffset1,
};
std::string_view to_string(SpecialReg reg); // "%tid.x"

enum class SymbolKind : uint8_t {
  ModuleVar, // index into Module::variables
  LocalVar,  // index into Function::variables: .local, .shared, .param declared in the body
  Param,     // index into Function::params
  RetParam,  // index into Function::return_params
  Function,  // index into Module::functions
};

struct Symbol {
  SymbolKind kind = SymbolKind::ModuleVar;
  uint32_t index = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    None,
    Register,      // reg; with `negated` for !%p
    Immediate,     // bits (sign-extended integer, or the bit pattern when float_literal)
    Special,       // special
    SymbolAddress, // mov %r, var; mov %rd, func; + offset
    Address,       // [reg+offset], [var+offset], [imm]: `reg` >= 0, or `symbol` valid, or absolute `offset`
    Label,         // label: index into Function::labels
    LabelList,     // .branchtargets name for brx.idx: labels in `list` order
    Vector,        // {a, b, c, d}: list
    Sink,          // _
    ParamList,     // the ( ... ) of a call: list of SymbolAddress / Register / Immediate
    Prototype,     // .callprototype label of an indirect call: index into Function::prototypes
  };
  enum class FloatLiteral : uint8_t { No, F32, F64, Decimal }; // 0fXXXXXXXX, 0dXXXX..., 1.5 (Decimal: bits are an f64)

  Kind kind = Kind::None;
  bool negated = false; // !%p
  FloatLiteral float_literal = FloatLiteral::No;
  int32_t reg = -1;  // index into Function::registers; also the second half p of d|p: see `pair`
  int32_t pair = -1; // d|p: register index of p, -1 for none; -2 for a sink
  SpecialReg special{};
  std::optional<Symbol> symbol;
  int64_t offset = 0; // Address, SymbolAddress
  uint64_t bits = 0;  // Immediate
  uint32_t label = 0;
  std::vector<Operand> list;
};

// Where an instruction came from: a .loc directive. Index 0 of Module::locations means "no line information".
struct SourceLocation {
  uint32_t file = 0; // .file number
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t inlined_at = 0; // index of the SourceLocation of the call, always a smaller one; 0 for none
  std::string function;    // name given by function_name, empty for the function itself
};

struct Guard {
  int32_t reg = -1;
  bool negated = false;
};

struct Instruction {
  const InstForm* form = nullptr;
  Modifiers mods;
  std::optional<Guard> guard;
  std::vector<Operand> operands;
  uint32_t location = 0; // index into Module::locations
  uint32_t ptx_line = 0; // 1-based line in the PTX text
  uint32_t ptx_column = 0;
};

struct Register {
  std::string name;
  Type type = Type::None; // as declared: Pred, B16.., also S32, F32, ...
};

struct Relocation {    // an address stored in an initialiser: .global .u64 tab[2] = {f, generic(x)+4};
  uint32_t offset = 0; // bytes from the start of the variable
  uint8_t size = 8;
  Symbol symbol;
  int64_t addend = 0;
  bool generic = false; // generic(x) was written
  uint8_t byte = 0;     // size 1: which byte of the address is stored, 0 the lowest; 0xFF00(x) stores byte 1
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint8_t vec = 1;
  uint32_t align = 1; // bytes; the natural alignment where .align was absent
  uint64_t size = 0;  // bytes; 0 for an extern array of unknown size
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false, is_managed = false;
  bool is_pointer = false;   // .ptr parameter attribute
  std::vector<uint8_t> init; // the first bytes; may be shorter than size: the rest is zero
  std::vector<Relocation> relocations;
  uint32_t ptx_line = 0;
  int32_t reg = -1; // space Reg, a parameter of a function: which of its registers
};

struct Prototype { // .callprototype
  std::vector<Variable> return_params, params;
  bool noreturn = false;
};

struct Label {
  std::string name;
  uint32_t instruction = 0; // index of the instruction it stands before; may equal instructions.size()
};

struct Function {
  std::string name;
  bool is_entry = false, is_extern = false, is_visible = false, is_weak = false, is_declaration = false;
  bool noreturn = false;
  std::vector<Variable> return_params, params;
  std::vector<Variable> variables; // declared in the body, scopes flattened
  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<Prototype> prototypes;
  std::array<uint32_t, 3> maxntid{}, reqntid{}; // zero: absent
  uint32_t minnctapersm = 0, maxnreg = 0;
  std::array<uint32_t, 3> reqnctapercluster{}; // zero: absent
  uint32_t maxclusterrank = 0;
  bool explicit_cluster = false; // .explicitcluster: to be launched with clusters
  uint32_t ptx_line = 0;
};

struct Module {
  std::string name; // what error messages call it: a path, or "PTX of <program>"
  unsigned version_major = 0, version_minor = 0;
  unsigned target_sm = 0; // 80 for sm_80, sm_80a
  std::string target;     // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::unordered_map<uint32_t, std::string> files; // .file
  std::vector<SourceLocation> locations{1};
  std::vector<std::string> lines; // the PTX text, for error excerpts

  [[nodiscard]] const Function* find_function(std::string_view function_name) const;
};

} // namespace tollgate::ptx
